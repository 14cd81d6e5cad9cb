"""A scenario is what one kind of conversation brings; this module holds the contract, and finds scenarios by name.

The runner, the store, the report and the budget know conversations only through it:

- What comes next is a function of what was said: `Environment.prompt` gets the exchanges so far and returns the next
  prompt, or why the dialogue is over. Nothing keeps state, so stored turns alone are enough to resume.
- `Environment.system` is always sent whole, in front of whatever a context strategy shows of the past.
- Only the turns of the model under test count towards patience and cap. A partner speaks in its own seat; its calls
  have the role `partner`.
- Options of `play` belong to the run. What differs between dialogues of one run belongs to the benchmark.

A scenario is a class that inherits from `Scenario`, and overrides what differs. A plug-in names it in the entry point
group `evolif.scenarios`; it is imported when a benchmark, a run or a flag names it (docs/how-to/scenario.md).
"""

from evolif.scenario.contract import Scenario
from evolif.scenario.options import changed_options, options_of, pairs_of
from evolif.scenario.play import (
    CHARACTERS_PER_TOKEN,
    Author,
    Benchmark,
    Defaults,
    Environment,
    Lengths,
    Meter,
    NoOptions,
    Services,
    Unjudged,
)
from evolif.scenario.presentation import (
    Chapter,
    Exhibit,
    Grid,
    HeatCell,
    HeatMap,
    LineChart,
    LinePoint,
    Opening,
    PlotLine,
    Presentation,
    TableCell,
    TableRow,
)
from evolif.scenario.registry import DEFAULT_SCENARIO, answer_keys, blaming, get_scenario, scenario_names
from evolif.scenario.rows import Rows
from evolif.scenario.views import ModelsView, ModelView, RunView, StoredRun, TurnView

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "DEFAULT_SCENARIO",
    "Author",
    "Benchmark",
    "Chapter",
    "Defaults",
    "Environment",
    "Exhibit",
    "Grid",
    "HeatCell",
    "HeatMap",
    "Lengths",
    "LineChart",
    "LinePoint",
    "Meter",
    "ModelView",
    "ModelsView",
    "NoOptions",
    "Opening",
    "PlotLine",
    "Presentation",
    "Rows",
    "RunView",
    "Scenario",
    "Services",
    "StoredRun",
    "TableCell",
    "TableRow",
    "TurnView",
    "Unjudged",
    "answer_keys",
    "blaming",
    "changed_options",
    "get_scenario",
    "options_of",
    "pairs_of",
    "scenario_names",
]
