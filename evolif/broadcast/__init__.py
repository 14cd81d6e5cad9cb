"""Live broadcasts of simulated matches: clocks, rows, keys computed from typed events, checks, scores."""

from evolif.broadcast.clock import format_clock, parse_clock, shift_clock

__all__ = ["format_clock", "parse_clock", "shift_clock"]
