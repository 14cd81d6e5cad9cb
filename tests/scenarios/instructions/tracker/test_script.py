"""Scripts: pure functions of specification, seed, dialogue and turn; one operation a turn; topics keep their own."""

from collections import defaultdict
from itertools import islice, pairwise

import pytest

from evolif.scenarios.instructions.constraints import GROUPS, check
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.tracker.script import DrawStatistics, raw_turns
from evolif.util.rng import Stream

TOPICS = load_topics()
SPECS = {name: ScriptSpec(load_profile(name), TOPICS, 11) for name in ("paper", "objective")}
DIALOGUES = {
    (name, number): list(islice(script(spec, number), 60)) for name, spec in SPECS.items() for number in range(1, 7)
}


def turns_of(spec, dialogue, count):
    return list(islice(script(spec, dialogue), count))


@pytest.fixture(params=DIALOGUES.values(), ids=[f"{name}-{number}" for name, number in DIALOGUES])
def turns(request):
    return request.param


def history(turns):
    """Pairs of a turn and the constraints its topic had before, worked out from the turns alone."""
    kept = {}
    for turn in turns:
        yield turn, kept.get(turn.topic.id, ())
        kept[turn.topic.id] = turn.constraints


def test_the_same_again(turns):
    first = turns[0]
    spec = next(spec for (name, number), known in DIALOGUES.items() for spec in [SPECS[name]] if known is turns)
    assert turns_of(spec, first.dialogue, 60) == turns


def test_dialogues_do_not_depend_on_each_other():
    spec = SPECS["paper"]
    running = [script(spec, number) for number in (6, 2, 5)]
    drawn = [[next(turns) for turns in running] for _ in range(30)]
    assert [row[1] for row in drawn] == DIALOGUES["paper", 2][:30]


def test_a_longer_dialogue_begins_alike():
    spec = SPECS["objective"]
    assert turns_of(spec, 3, 20) == turns_of(spec, 3, 200)[:20]


def test_another_seed_is_another_script():
    other = ScriptSpec(SPECS["paper"].profile, TOPICS, 12)
    assert turns_of(other, 1, 10) != DIALOGUES["paper", 1][:10]


def test_turns_and_dialogues_are_numbered_from_one():
    assert [(t.dialogue, t.turn) for t in DIALOGUES["paper", 4][:3]] == [(4, 1), (4, 2), (4, 3)]


def test_statistics_do_not_change_the_script():
    statistics = DrawStatistics()
    assert list(islice(script(SPECS["paper"], 1, statistics), 20)) == DIALOGUES["paper", 1][:20]
    assert statistics.turns >= 20
    assert statistics.draws >= 20


def test_exactly_one_group_changes(turns):
    for turn, before in history(turns):
        old, new = {c.group: c.params for c in before}, {c.group: c.params for c in turn.constraints}
        changed = {group for group in {*old, *new} if old.get(group) != new.get(group)}
        assert changed == {turn.operation.group}


def test_the_operation_says_what_changed(turns):
    for turn, before in history(turns):
        old, new = {c.group: c.params for c in before}, {c.group: c.params for c in turn.constraints}
        operation = turn.operation
        assert (operation.before, operation.after) == (old.get(operation.group), new.get(operation.group))
        assert (
            operation.kind
            == {(True, False): "remove", (False, True): "add", (True, True): "modify"}[
                operation.before is not None, operation.after is not None
            ]
        )


def test_a_modification_never_keeps_the_parameters(turns):
    assert all(t.operation.before != t.operation.after for t in turns)


def test_at_most_one_constraint_a_group_and_at_least_one_in_all(turns):
    for turn in turns:
        groups = [c.group for c in turn.constraints]
        assert len(groups) == len(set(groups)) >= 1


def test_a_modified_constraint_keeps_its_place_and_an_added_one_comes_last(turns):
    for turn, before in history(turns):
        old, new = [c.group for c in before], [c.group for c in turn.constraints]
        group = turn.operation.group
        expected = {"add": [*old, group], "modify": old, "remove": [g for g in old if g != group]}
        assert new == expected[turn.operation.kind]


def test_constraints_are_scoped_to_their_topic(turns):
    for turn, before in history(turns):
        assert turn.before == before


def test_a_new_topic_is_new_and_starts_with_one_constraint(turns):
    seen = set()
    for turn in turns:
        assert (turn.move == "new") is (turn.topic.id not in seen)
        if turn.move == "new":
            assert len(turn.constraints) == 1
            assert turn.before == ()
        seen.add(turn.topic.id)


def test_a_continued_topic_stays_and_a_backtrack_leaves(turns):
    for last, turn in pairwise(turns):
        assert (turn.move == "continue") is (turn.topic.id == last.topic.id)


def visits(turns):
    """Lengths of the visits to topics, the last (cut off) one left out."""
    lengths = []
    for turn in turns:
        if turn.move == "continue":
            lengths[-1] += 1
        else:
            lengths.append(1)
    return lengths[:-1]


@pytest.mark.parametrize("number", range(1, 7))
def test_a_visit_lasts_at_least_four_turns_in_the_paper_and_one_to_nine_elsewhere(number):
    assert min(visits(DIALOGUES["paper", number])) >= 4
    lengths = visits(DIALOGUES["objective", number])
    assert 1 <= min(lengths) < 4 and max(lengths) <= 9


def test_every_witness_passes_the_rules(turns):
    for turn in turns:
        assert [v for v in check(turn.constraints, turn.witness) if v.satisfied is False] == []


def test_a_kept_dialogue_is_full_enough(turns):
    assert sum(len(t.constraints) for t in turns[:20]) / 20 >= 2


def test_keywords_come_from_the_topic(turns):
    for turn in turns:
        for constraint in turn.constraints:
            words = [*constraint.params.get("counts", ()), *constraint.params.get("keywords", ())]
            assert set(words) <= set(turn.topic.keywords)


def changes(group):
    return [t.operation for turns in DIALOGUES.values() for t in turns if t.operation.group == group]


def test_existence_changes_by_one_keyword():
    seen = set()
    for operation in changes("existence"):
        if operation.kind == "modify":
            old, new = operation.before["counts"], operation.after["counts"]
            gone, come = old.keys() - new.keys(), new.keys() - old.keys()
            recounted = {word for word in old.keys() & new.keys() if old[word] != new[word]}
            assert sorted(map(len, (gone, come, recounted))) == [0, 0, 1]
            assert all(1 <= new[word] <= 3 for word in come)
            assert all(1 <= n <= 10 for n in new.values())
            seen.add("gone" if gone else "come" if come else "recounted")
    assert seen == {"gone", "come", "recounted"}


def test_forbidden_changes_by_one_keyword():
    seen = set()
    for operation in changes("forbidden"):
        if operation.kind == "modify":
            old, new = set(operation.before["keywords"]), set(operation.after["keywords"])
            assert len(old ^ new) == 1
            assert 1 <= len(new) <= 3
            seen.add(old < new)
    assert seen == {True, False}


def test_no_keyword_is_required_and_forbidden():
    for turns in DIALOGUES.values():
        for turn in turns:
            params = {c.group: c.params for c in turn.constraints}
            required = set(params.get("existence", {}).get("counts", ()))
            required |= {p["value"] for g, p in params.items() if g.endswith("_with") and p["mode"] == "keyword"}
            assert not required & set(params.get("forbidden", {}).get("keywords", ()))


def test_every_group_of_the_profile_comes_up():
    for name, spec in SPECS.items():
        used = {t.operation.group for (profile, _), turns in DIALOGUES.items() if profile == name for t in turns}
        assert used == set(spec.profile.groups)


def test_a_backtrack_goes_to_any_earlier_topic():
    ages = defaultdict(int)
    for turns in DIALOGUES.values():
        order = []
        for turn in turns:
            if turn.move == "new":
                order.append(turn.topic.id)
            elif turn.move == "backtrack":
                ages[order.index(turn.topic.id)] += 1
    assert set(ages) >= {0, 1, 2, 3}


def test_statistics_name_the_groups_that_did_not_go_together():
    statistics = DrawStatistics()
    for number in range(1, 9):
        list(islice(raw_turns(SPECS["objective"], number, Stream(11, 1, number), statistics), 50))
    assert ("bullets", "format") in statistics.refused
    assert all(set(groups) <= set(GROUPS) and groups == tuple(sorted(groups)) for groups in statistics.refused)
    assert statistics.draws == statistics.turns + sum(statistics.refused.values())
    assert statistics.kind_changed <= 0.005 * statistics.turns
