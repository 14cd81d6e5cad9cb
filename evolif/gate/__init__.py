"""A gate: does a run meet what is required of it, as far as its intervals can tell?

Example:
    ```python
    from evolif.gate import Required, decide
    from evolif.report import analyse

    [run] = analyse([evolif.load_run("run")])
    verdict = decide(run, [Required("isr_at_n", 0.8)])
    print(verdict.outcome)  # passed, failed or undecided
    ```
"""

from evolif.gate.baseline import Baseline, decide_against
from evolif.gate.required import Required, decide

__all__ = ["Baseline", "Required", "decide", "decide_against"]
