"""The profile `everyday`: how many demands are in force, how they come and go, and what is drawn."""

from collections import Counter
from functools import cache
from itertools import islice, pairwise

import pytest

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import check, get_group, parse_constraint
from evolif.scenarios.instructions.synthesis import load_personas
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.tracker.load import LoadOperations, at_turn, number_of
from evolif.scenarios.instructions.tracker.load_layer import near_number
from evolif.scenarios.instructions.tracker.profile import load_topics_of, parse_profile
from evolif.scenarios.instructions.turn_lines import Spec
from evolif.util.rng import Stream

EVERYDAY = load_profile("everyday")
TOPICS = load_topics_of(EVERYDAY)
PERSONAS = load_personas()
SPEC = ScriptSpec(EVERYDAY, TOPICS, 29, PERSONAS)
TURNS = 30
RARE = {"lettering", "wrap", "placement", "case", "digits", "sentences", "choice"}
LOADS = {1: 1.9, 5: 3.6, 10: 4.2, 15: 5.0, 20: 5.3, 30: 5.5}


@cache
def dialogues(number, turns=TURNS):
    return [list(islice(script(SPEC, at), turns)) for at in range(1, number + 1)]


@pytest.fixture(params=[60, pytest.param(400, marks=pytest.mark.slow)], ids=str)
def sample(request):
    """Dialogues, and how much wider than the page's a tolerance is for so few."""
    return dialogues(request.param), (1 if request.param == 400 else 2)


def turns_of(sample):
    return [turn for dialogue in sample for turn in dialogue]


def histories(dialogue):
    """Each turn with the constraints that its topic had before."""
    kept = {}
    for turn in dialogue:
        yield turn, kept.get(turn.topic.id, ())
        kept[turn.topic.id] = turn.constraints


@pytest.mark.slow
def test_the_same_again_whatever_was_drawn_before():
    assert list(islice(script(SPEC, 7), TURNS)) == dialogues(10)[6]
    assert list(islice(script(SPEC, 7), 40))[:TURNS] == dialogues(10)[6]


def test_the_profile_reads_back_as_it_is_written():
    spec = Spec(profile=EVERYDAY, seed=1, dialogues=1, turns=1)
    again = Spec.model_validate_json(spec.model_dump_json()).profile
    assert again == EVERYDAY
    assert list(islice(script(ScriptSpec(again, TOPICS, 29, PERSONAS), 3), 40)) == list(islice(script(SPEC, 3), 40))


@pytest.mark.slow
def test_every_turn_has_a_witness_that_every_checker_passes():
    for turn in turns_of(dialogues(25)):
        assert turn.witness.strip()
        assert all(verdict.satisfied for verdict in check(turn.constraints, turn.witness)), turn


@pytest.mark.slow
def test_loads_are_near_the_pages(sample):
    drawn, slack = sample
    for mark, goal in LOADS.items():
        here = [len(dialogue[mark - 1].constraints) for dialogue in drawn]
        assert abs(sum(here) / len(here) - goal) < 0.4 * slack, mark


def test_kinds_of_turns(sample):
    drawn, slack = sample
    turns = turns_of(drawn)
    acts = Counter(turn.act for turn in turns)
    assert abs(acts["replace_all"] / len(turns) - 0.10) < 0.02 * slack
    adds = [turn for turn in turns if turn.kind == "add" and turn.act == "change"]
    assert abs(sum(len(turn.operations) > 1 for turn in adds) / len(adds) - 0.32) < 0.04 * slack


def test_rare_groups_stay_rare_at_every_depth(sample):
    drawn, slack = sample
    for at in range(TURNS):
        here = [c.group for dialogue in drawn for c in dialogue[at].constraints]
        assert sum(group in RARE for group in here) / len(here) <= 0.08 * slack, at + 1


def test_upper_word_limits_are_short(sample):
    drawn, slack = sample
    limits = [
        one.after["count"]
        for turn in turns_of(drawn)
        for one in turn.operations
        if one.group == "length" and one.after and one.after["unit"] == "words" and one.after["relation"] == "at_most"
    ]
    assert 0.85 + 0.05 * slack > sum(count <= 100 for count in limits) / len(limits) > 0.75 - 0.05 * slack


@pytest.mark.slow
def test_first_demands_are_drawn_by_the_weights():
    first = Counter()
    for number in range(1, 3001):
        first[next(iter(script(SPEC, number))).operations[0].group] += 1
    weights = EVERYDAY.operations.weights
    for group, weight in weights.items():
        share = weight / sum(weights.values())
        if group != "choice":
            assert abs(first[group] / first.total() - share) < 0.025, group


def test_the_length_keeps_its_unit_in_four_modifications_of_five(sample):
    drawn, slack = sample
    pairs = [
        (one.before["unit"], one.after["unit"])
        for turn in turns_of(drawn)
        for one in turn.operations
        if one.group == "length" and one.kind == "modify" and turn.act == "change"
    ]
    assert abs(sum(before == after for before, after in pairs) / len(pairs) - 0.8) < 0.08 * slack


def test_a_topics_first_turn_states_and_no_other():
    for dialogue in dialogues(60):
        for turn, before in histories(dialogue):
            assert (turn.act in ("state", "carry")) == (turn.move == "new") == (not before)
            assert turn.act != "state" or 1 <= len(turn.operations) <= 4


def test_carried_demands_are_those_of_the_topic_that_was_left(sample):
    drawn, slack = sample
    later = [turn for turn in turns_of(drawn) if turn.move == "new" and turn.turn > 1]
    assert abs(sum(turn.act == "carry" for turn in later) / len(later) - 0.10) < 0.04 * slack
    for dialogue in drawn:
        for earlier, turn in pairwise(dialogue):
            if turn.act == "carry":
                assert turn.constraints == earlier.constraints and len(turn.constraints) > 1
                assert {one.kind for one in turn.operations} == {"add"} and turn.kind == "carry"
                assert not {"existence", "forbidden", "choice"} & {one.group for one in turn.operations}


def test_visits_last_as_long_as_each_persona_likes(sample):
    drawn, slack = sample
    lengths = Counter()
    for dialogue in drawn:
        starts = [turn.turn for turn in dialogue if turn.move != "continue"]
        lengths.update(after - before for before, after in pairwise(starts))
    assert set(lengths) == set(range(1, 10))
    mean = sum(length * count for length, count in lengths.items()) / lengths.total()
    assert 3.6 - 0.3 * slack < mean < 4.6 + 0.3 * slack


def test_the_operations_say_what_changed():
    for dialogue in dialogues(60):
        for turn, before in histories(dialogue):
            old, new = {c.group: c.params for c in before}, {c.group: c.params for c in turn.constraints}
            changed = {group for group in {*old, *new} if old.get(group) != new.get(group)}
            assert {one.group for one in turn.operations} == changed
            assert len(turn.operations) == len(changed)
            for one in turn.operations:
                assert (one.before, one.after) == (old.get(one.group), new.get(one.group))
                kinds = {(False, True): "add", (True, True): "modify", (True, False): "remove"}
                assert one.kind == kinds[one.before is not None, one.after is not None]


def test_only_a_replacement_changes_in_several_ways():
    for turn in turns_of(dialogues(60)):
        if turn.act != "replace_all":
            assert turn.kind in ("add", "carry") or len(turn.operations) == 1


def test_a_replacement_leaves_nothing_as_it_was():
    replaced = [
        (turn, before)
        for dialogue in dialogues(60)
        for turn, before in histories(dialogue)
        if turn.act == "replace_all"
    ]
    assert len(replaced) > 100
    for turn, before in replaced:
        assert {c.group for c in before} <= turn.changed
        assert len(before) > 1 or before[0].group == "choice"
        assert 1 <= len(turn.constraints) <= 4
        kinds = [one.kind for one in turn.operations]
        assert kinds == sorted(kinds, key=lambda kind: kind != "remove"), "what goes stands first"


def test_at_most_seven_are_in_force_and_removing_needs_two():
    for dialogue in dialogues(60):
        for turn, before in histories(dialogue):
            assert 1 <= len(turn.constraints) <= 7
            assert turn.kind != "remove" or len(before) >= 2


def test_a_value_given_up_is_not_taken_again_while_others_are_open():
    back = total = 0
    for dialogue in dialogues(60):
        given = {}
        for turn in dialogue:
            for one in turn.operations:
                key = (turn.topic.id, one.group)
                total += one.after is not None
                back += one.after is not None and one.after in given.get(key, [])
                if one.before is not None:
                    given.setdefault(key, []).append(one.before)
    assert back / total < 0.005


def test_a_modification_leaves_out_what_the_turn_before_changed():
    hit = total = 0
    for dialogue in dialogues(60):
        for earlier, turn in pairwise(dialogue):
            if turn.kind == "modify" and {c.group for c in turn.constraints} - earlier.changed:
                total += 1
                hit += bool(turn.changed & earlier.changed)
    assert hit / total < 0.02


@pytest.mark.slow
def test_choices_are_asked_of_tasks_that_offer_them_and_alone():
    chosen = [
        (turn, one.after)
        for turn in turns_of(dialogues(400, 1))
        for one in turn.operations
        if one.group == "choice" and one.after is not None
    ]
    assert chosen
    for turn, params in chosen:
        assert {name: value for name, value in params.items() if name != "reason"} in turn.topic.choices
        assert turn.act in ("state", "replace_all")
        assert len(turn.constraints) == 1


def test_no_manner_where_the_task_is_a_text_that_may_hold_such_phrases():
    for turn in turns_of(dialogues(60)):
        if turn.topic.kind in ("text", "role play"):
            assert "manner" not in {c.group for c in turn.constraints}


def test_what_is_drawn_is_what_a_user_may_ask():
    for turn in turns_of(dialogues(60)):
        for constraint in turn.constraints:
            assert parse_constraint({"group": constraint.group, "params": dict(constraint.params)}) == constraint


@pytest.mark.slow
def test_later_stages_draw_harder():
    late = [turn for dialogue in dialogues(60, 45) for turn in dialogue if turn.turn > 21]
    lengths = [
        one.after for turn in late if turn.turn <= 30 for one in turn.operations if one.group == "length" and one.after
    ]
    for params in lengths:
        if params["relation"] == "between":
            assert params["upper"] == params["count"] + max(1, params["count"] // 5)
    sets = [
        one.after for turn in late if turn.turn <= 30 for one in turn.operations if one.group == "labels" and one.after
    ]
    assert sets
    assert all(len(params.get("labels", "123"[: params.get("count", 3)])) >= 3 for params in sets)
    moved = [
        (one.before["count"], one.after["count"])
        for turn in late
        for one in turn.operations
        if turn.turn > 30 and one.group == "length" and turn.kind == "modify"
    ]
    near = [abs(after - before) <= max(1, before // 5) for before, after in moved]
    assert len(near) > 30
    assert sum(near) / len(near) > 0.9


@pytest.mark.parametrize("params", [{"count": 100}, {"count": 50, "upper": 60}, {"count": 3}, {"count": 30}])
def test_a_near_number_is_near(params):
    for seed in range(50):
        near = near_number(params, 20, Stream(seed))
        moved = near["count"] - params["count"]
        assert 1 <= abs(moved) <= max(1, params["count"] // 5)
        assert near.get("upper", 0) == params.get("upper", 0) + (moved if "upper" in params else 0)


def test_nothing_is_near_one_but_two():
    assert {(near_number({"count": 1}, 20, Stream(seed)) or {"count": 0})["count"] for seed in range(20)} == {0, 2}


def test_targets_are_linear_between_their_turns():
    operations = EVERYDAY.operations
    assert isinstance(operations, LoadOperations)
    assert [round(operations.target(turn), 3) for turn in (1, 3, 5, 12, 30, 99)] == [2, 3.1, 4.2, 5.72, 7.2, 7.2]


def test_values_hold_from_their_turns_on():
    assert [at_turn({1: "a", 9: "b"}, turn) for turn in (1, 8, 9, 50)] == ["a", "a", "b", "b"]


def test_numbers_are_drawn_by_weights():
    stream = Stream(1)
    drawn = Counter(number_of((0, 3, 1), stream) for _ in range(4000))
    assert set(drawn) == {2, 3}
    assert 2.6 < drawn[2] / drawn[3] < 3.4


@pytest.mark.parametrize("what", ["load", "changes"])
def test_a_table_without_turn_1_is_refused(what):
    data = EVERYDAY.model_dump(mode="json")
    data["operations"][what] = {turn: value for turn, value in data["operations"][what].items() if turn != "1"}
    with pytest.raises(InputError, match=f"operations: {what} needs an entry for turn 1"):
        parse_profile(data)


def test_other_profiles_keep_their_topics_and_pools():
    for name in ("paper", "objective", "extended", "escalating"):
        profile = load_profile(name)
        assert load_topics_of(profile) == load_topics()
        told = profile.model_dump(mode="json")
        assert not {"number_step", "everyday_pools", "short_words"} & told.keys()
        assert "dialogues" not in told["protocol"]
        assert all("everyday" not in get_group(group).data["pool"] for group in profile.groups)


def test_tasks_that_offer_choices_are_there():
    offering = [topic for topic in TOPICS if topic.choices]
    assert len(offering) == 24
    assert len({topic.id for topic in TOPICS}) == len(TOPICS)


def test_the_protocol_of_the_profile():
    protocol = EVERYDAY.protocol
    assert (protocol.patience, protocol.max_turns, protocol.dialogues) == (5, 30, 40)
