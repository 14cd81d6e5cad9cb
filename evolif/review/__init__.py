"""Review: a person clears the flagged queries."""
