"""How stable a ranking of models is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessions_by_hand import play, prompt

from evolif.errors import UsageError
from evolif.metrics import Breakdown, process_metrics, records_from_sessions
from evolif.metrics.process import RATES
from evolif.metrics.ranks import rank_agreement, rank_stability, split_half_stability
from evolif.metrics.statistics import pearson, ranks, spearman
from evolif.util.rng import Purpose, Stream

REGISTER = Breakdown("register", "register", "")


def session(model, dialogue, good):
    return play(dialogue, f"{'1 ' * good}0 0 0", model=model)


def models(*lengths):
    """Each model's good turns per dialogue."""
    return {
        f"m{n}": [session(f"m{n}", d, good) for d, good in enumerate(own, start=1)] for n, own in enumerate(lengths)
    }


FOUR = models((1, 5, 2, 7, 3, 4), (2, 2, 9, 1, 3, 8), (6, 6, 1, 7, 2, 2), (0, 1, 0, 9, 9, 9))


def test_ranks_share_places():
    assert ranks([10, 30, 20, 20]) == [1, 4, 2.5, 2.5]
    assert ranks([5, 5, 5]) == [2, 2, 2]


def test_figures_that_rounding_alone_sets_apart_are_equal():
    a_half, same = 0.5, 0.49999999999999994
    assert ranks([a_half, 0.25, same, 1.0]) == [2.5, 1, 2.5, 4]
    assert pearson([a_half, same, a_half], [1, 2, 3]) is spearman([a_half, same, a_half], [1, 2, 3]) is None
    figures, whole = [1 / 3, a_half, 1.0, same], [0.1, 0.3, 0.4, 0.2]
    assert spearman(figures, whole) == pytest.approx(spearman([1, 2, 3, 2], [1, 3, 4, 2]))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=9))
def test_correlations_are_scipys(points):
    stats = pytest.importorskip("scipy.stats")
    xs, ys = map(list, zip(*points, strict=True))
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        assert pearson(xs, ys) is spearman(xs, ys) is None
        return
    assert pearson(xs, ys) == pytest.approx(stats.pearsonr(xs, ys).statistic, abs=1e-9)
    assert spearman(xs, ys) == pytest.approx(stats.spearmanr(xs, ys).statistic, abs=1e-9)


def test_all_dialogues_agree_with_themselves():
    (full,) = rank_stability(FOUR, [99], draws=7)
    assert (full.size, full.draws) == (6, 7)
    assert (full.pearson, full.spearman) == pytest.approx((1, 1))
    assert (full.pearson_sd, full.spearman_sd) == pytest.approx((0, 0), abs=1e-12)


def test_each_draw_is_a_seeded_subsample_the_same_for_all_models():
    from statistics import fmean, stdev

    draws, size = 5, 2
    found = rank_stability(FOUR, [4, size], draws=draws, seed=3, metric="isr")
    assert [own.size for own in found] == [2, 4]

    def isr(sessions):
        return process_metrics(records_from_sessions(sessions).records).isr

    whole = [isr(own) for own in FOUR.values()]
    expected = []
    for draw in range(draws):
        drawn = Stream(3, Purpose.RANKS, draw).sample([1, 2, 3, 4, 5, 6], 4)[:size]
        part = [isr([s for s in own if s.dialogue in drawn]) for own in FOUR.values()]
        expected.append((pearson(part, whole), spearman(part, whole)))
    figures, places = zip(*expected, strict=True)
    assert (found[0].pearson, found[0].pearson_sd) == pytest.approx((fmean(figures), stdev(figures)))
    assert (found[0].spearman, found[0].spearman_sd) == pytest.approx((fmean(places), stdev(places)))


def test_sizes_do_not_disturb_each_other_and_order_does_not_matter():
    shuffled = {name: FOUR[name][::-1] for name in ("m2", "m0", "m3", "m1")}
    assert rank_stability(shuffled, [2, 5], draws=9) == pytest.approx(rank_stability(FOUR, [5, 2, 2], draws=9))
    assert rank_stability(FOUR, [2, 5], draws=9, seed=1) != rank_stability(FOUR, [2, 5], draws=9, seed=2)


@pytest.mark.parametrize("few", [{}, models((1, 2), (3, 4))])
def test_fewer_than_three_models_have_no_correlation(few):
    for own in rank_stability(few, [1]):
        assert (own.draws, own.pearson, own.pearson_sd, own.spearman, own.spearman_sd) == (0, None, None, None, None)
    for own in rank_agreement(few, [], REGISTER).values():
        assert (own.pearson, own.spearman) == (None, None)


def test_models_all_alike_have_no_correlation():
    (found,) = rank_stability(models((1, 2), (1, 2), (1, 2)), [1], draws=4)
    assert (found.draws, found.pearson, found.spearman) == (0, None, None)


def test_halves_share_no_dialogue_and_are_the_same_for_all_models():
    from statistics import fmean, stdev

    draws = 6
    (found,) = split_half_stability(FOUR, draws=draws, seed=3, metric="rob")
    assert (found.size, found.draws) == (3, draws)

    def rob(sessions):
        return process_metrics(records_from_sessions(sessions).records).rob

    expected = []
    for draw in range(draws):
        drawn = Stream(3, Purpose.RANKS, draw, 2).sample([1, 2, 3, 4, 5, 6], 6)
        halves = [
            [rob([s for s in own if s.dialogue in half]) for own in FOUR.values()] for half in (drawn[::2], drawn[1::2])
        ]
        expected.append((pearson(*halves), spearman(*halves)))
    figures, places = zip(*expected, strict=True)
    assert (found.pearson, found.pearson_sd) == pytest.approx((fmean(figures), stdev(figures)))
    assert (found.spearman, found.spearman_sd) == pytest.approx((fmean(places), stdev(places)))
    assert [one.size for one in split_half_stability(FOUR, [1, 99, 2, 2], draws=1)] == [1, 2, 3]


@pytest.mark.slow
def test_equal_models_have_a_stable_order_only_where_parts_are_compared_with_the_whole():
    from random import Random

    chance = Random(2)
    part_and_whole, halves = [], []
    for _ in range(30):
        equal = models(*([chance.randint(0, 9) for _ in range(24)] for _ in range(8)))
        part_and_whole += [one.spearman for one in rank_stability(equal, [18], draws=10)]
        halves += [one.spearman for one in split_half_stability(equal, draws=10)]
    # Of one benchmark it may be up to 0.6 by chance, but not on average.
    assert sum(part_and_whole) / 30 > 0.7
    assert abs(sum(halves) / 30) < 0.15


@pytest.mark.parametrize("own", [{}, models((1,), (2,), (3,))])
def test_one_dialogue_has_no_halves(own):
    assert split_half_stability(own) == ()


def test_agreement_of_kinds_with_the_whole():
    prompts = [prompt(d, 1, source="m/a" if d < 4 else "m/b") for d in range(1, 6)]
    found = rank_agreement(FOUR, prompts, Breakdown("synthesizer", "worded by", "", label="source"), metric="rob")
    assert list(found) == ["m/a", "m/b", "unknown"]
    assert [own.dialogues for own in found.values()] == [3, 2, 1]

    def rob(sessions):
        return process_metrics(records_from_sessions(sessions).records).rob

    whole = [rob(own) for own in FOUR.values()]
    part = [rob([s for s in own if s.dialogue < 4]) for own in FOUR.values()]
    own = found["m/a"]
    assert list(own.values.values()) == pytest.approx(part)
    assert own.models == 4
    assert own.spearman == pytest.approx(spearman(part, whole))
    assert own.pearson == pytest.approx(pearson(part, whole))


def test_a_model_without_a_figure_is_left_out():
    many = {**FOUR, "broken": [play(1, "1", "suspended", model="broken")]}
    (with_it,), (without,) = rank_stability(many, [3], draws=5), rank_stability(FOUR, [3], draws=5)
    assert with_it == without
    assert rank_agreement(many, [], REGISTER)["unknown"].models == 4
    assert rank_agreement(many, [], REGISTER)["unknown"].values["broken"] is None


def test_refusals():
    with pytest.raises(UsageError, match="unknown metric “fame”"):
        rank_stability(FOUR, [3], metric="fame")
    with pytest.raises(UsageError, match="size of at least 1"):
        rank_stability(FOUR, [0])
    with pytest.raises(UsageError, match="at least 1 draw"):
        rank_stability(FOUR, [1], draws=0)
    with pytest.raises(UsageError, match="size of at least 1"):
        split_half_stability(FOUR, [0])
    with pytest.raises(UsageError, match="unknown metric “rob”; use csr, isr"):
        rank_agreement(FOUR, [], REGISTER, metric="rob", table=RATES)
