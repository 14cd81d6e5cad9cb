"""`evolif topics write` against a server of the OpenAI API whose every answer is scripted."""

from __future__ import annotations

import json

import pytest
from entries import BEES, MOVE, TALK, TOPICS, WAX, swapped, topic
from filelock import FileLock
from models.server import Answer, completion, error, ok, serving

from evolif.errors import InputError, ModelError, OutsideError, UsageError
from evolif.models import ModelOptions
from evolif.scenarios.instructions.catalogue import lint_topics
from evolif.scenarios.instructions.catalogue.write import write_topics
from evolif.scenarios.instructions.tracker import load_topics


def said(entry, **changes):
    return json.dumps({**entry, **changes})


@pytest.fixture
def make(tmp_path):
    """Run against scripted answers; returns what was made and the requests' messages."""

    def make(*answers, count=1, domain="beekeeping", out="own.jsonl", connections=1, retries=0, **reach):
        replies = [answer if isinstance(answer, Answer) else ok(answer) for answer in answers]
        seen = []
        with serving(*replies) as server:
            model = f"openai/tiny?base_url={server.url}"
            options = ModelOptions(max_retries=retries, max_connections=connections, **reach)
            try:
                made = write_topics(tmp_path / out, domain, count, model, seed=7, options=options)
            finally:
                seen += [request.body for request in server.seen]
        return made, seen

    return make


@pytest.fixture
def stored(tmp_path):
    return lambda name="own.jsonl": [
        json.loads(line) for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()
    ]


def test_a_good_topic_is_stored_with_its_number_and_nobody_who_verified_it(make, stored, tmp_path):
    made, [request] = make(said(BEES))
    [entry] = stored()
    assert entry.keys() == topic(0, verified_by=[], source="", asker=[]).keys()
    assert sorted(entry.pop("keywords")) == sorted(BEES["keywords"])
    assert entry == topic(0, keywords=None, verified_by=[], source="openai/tiny", asker=[])
    assert (made.have, made.wanted) == (1, 1)
    tally = made.tally
    assert (tally.kept, tally.given_up, tally.answers, tally.prompt_tokens, tally.completion_tokens) == (1, 0, 1, 7, 3)
    assert request["response_format"]["json_schema"]["schema"]["required"] == ["title", "prompt", "keywords", "asker"]
    assert "beekeeping" in request["messages"][1]["content"]
    assert lint_topics(tmp_path / "own.jsonl").findings == ()
    assert load_topics(tmp_path / "own.jsonl")[0].prompt == BEES["prompt"]


def test_what_a_model_says_of_who_asks_is_kept_as_far_as_it_is_known(make, stored):
    make(said(BEES, asker=["beekeeper", "astronaut", 7, "no_bees", "house"]))
    assert stored()[0]["asker"] == ["beekeeper", "house"]


FORMS = [
    f"```json\n{said(BEES)}\n```",
    f"Of course! Here is a task:\n\n{said(BEES)}\n\nI hope that it helps.",
    f"<think>{{not this}}</think>{said(BEES)}",
    json.dumps({"topic": BEES}),
    json.dumps({"topics": [BEES]}),
    f"[{said(BEES)}]",
    said(BEES)[:-1] + ",}",
    said(BEES, title="The queen that stopped laying."),
    said(BEES, keywords=", ".join(BEES["keywords"])),
    said(BEES, keywords=[f" {word.upper()}. " for word in BEES["keywords"]]),
    said(BEES, prompt=BEES["prompt"].replace(" A ", "\n")),
    said(BEES, note="and more", keywords=[*BEES["keywords"], "hives", "which", "1984", None, "crème", "frame"]),
]


@pytest.mark.sampled
@pytest.mark.parametrize("answer", FORMS)
def test_an_answer_is_read_in_whatever_form_it_comes(make, stored, answer):
    make(answer)
    [entry] = stored()
    assert entry["prompt"] == BEES["prompt"] and entry["title"] == BEES["title"]
    assert sorted(entry["keywords"]) == sorted(BEES["keywords"])


BROKEN = [
    ("", "no JSON object"),
    ("I cannot do that.", "no JSON object"),
    (said(BEES)[:200], "no JSON object"),
    ("{" * 5000, "no JSON object"),
    (json.dumps({"prompt": 5, "title": None, "keywords": {}}), "“title” is empty"),
    (said(BEES, keywords=["hive"] * 30), "has 1 keyword"),
    (said(BEES, keywords=[*BEES["keywords"][:15], "crème", "seven", "which"]), "“crème” is not in plain letters"),
    (said(BEES, prompt=BEES["prompt"] + " Answer in three sentences."), "a constraint on the answer (length)"),
    (said(BEES, prompt=BEES["prompt"][:-1] + " \x1b]0;x\x07?"), "invisible characters"),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("answer", "finding"), BROKEN)
def test_findings_are_fed_back_and_what_is_mended_is_kept(make, stored, answer, finding):
    made, requests = make(answer, said(WAX))
    assert [entry["title"] for entry in stored()] == [WAX["title"]]
    assert (made.tally.kept, made.tally.answers) == (1, 2)
    system, user, echo, mend = requests[1]["messages"]
    assert (system["role"], user["role"], echo["role"], mend["role"]) == ("system", "user", "assistant", "user")
    assert requests[0]["messages"] == [system, user]
    assert finding in mend["content"] and echo["content"]


def test_an_answer_that_was_cut_is_told_so(make):
    _, requests = make(ok(said(BEES)[:150], finish="length"), said(BEES))
    assert "cut at the token limit" in requests[1]["messages"][-1]["content"]


def test_three_answers_a_topic_and_then_another(make, stored):
    made, requests = make("no", "no", "no", said(WAX))
    assert (made.tally.kept, made.tally.given_up, made.tally.answers) == (1, 1, 4)
    assert [len(request["messages"]) for request in requests] == [2, 4, 4, 2]
    assert stored()[0]["id"] == "T001"


def test_topics_are_linted_against_the_file_and_each_other(make, stored, write):
    write(topic(0, id="T041", domain="Beekeeping "))
    made, requests = make(said(BEES), said(WAX), said(WAX, title="the wax"), said(MOVE), count=3)
    assert made.have == 3 and [entry["id"] for entry in stored()] == ["T041", "T042", "T043"]
    assert "line 1" in requests[1]["messages"][-1]["content"]
    assert WAX["title"] in requests[2]["messages"][1]["content"]
    assert lint_topics(write(*stored(), name="copy.jsonl")).findings == ()


def test_a_second_call_goes_on_to_the_count(make, stored):
    first, _ = make(said(BEES), said(WAX), count=2)
    assert first.have == 2
    second, requests = make(said(MOVE), said(TALK), count=4)
    assert (second.have, second.tally.kept, len(requests)) == (4, 2, 2)
    assert [entry["id"] for entry in stored()] == ["T001", "T002", "T003", "T004"]
    third, requests = make("never asked", count=4)
    assert (third.have, third.tally.answers, requests) == (4, 0, [])
    assert make("never asked", count=4, domain=" BEEkeeping")[0].have == 4


def test_several_are_asked_at_a_time_and_none_too_many(make, stored):
    made, requests = make(*map(said, TOPICS), count=4, connections=8)
    assert made.have == 4 and len(requests) == 4
    assert sorted(entry["title"] for entry in stored()) == sorted(entry["title"] for entry in TOPICS)


def test_a_torn_last_line_is_cut_and_any_other_is_told(make, stored, tmp_path, write):
    path = write(topic(0))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": "T002", "domain": "beek')
    make(said(WAX), count=2)
    assert [entry["id"] for entry in stored()] == ["T001", "T002"]
    for text in ("# Notes\n\nNothing to do with topics", '{"id": "T001"\n{"id": "T002"}\n'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="line 1: is not a JSON object"):
            make(said(WAX), count=2)
        assert path.read_text(encoding="utf-8") == text


def test_a_line_without_its_end_is_gone_on_from(make, stored, tmp_path):
    (tmp_path / "own.jsonl").write_text(json.dumps(topic(0)), encoding="utf-8")
    make(said(WAX), count=2)
    assert [entry["id"] for entry in stored()] == ["T001", "T002"]


@pytest.mark.slow
def test_a_model_that_gives_nothing_usable_ends_with_a_sentence_and_no_file(make, tmp_path):
    with pytest.raises(OutsideError) as caught:
        make("I am a small model.", count=9)
    sentence = str(caught.value)
    assert "openai/tiny gave no entry that passes the lint in 15 answers" in sentence and "larger model" in sentence
    assert not (tmp_path / "own.jsonl").exists()


@pytest.mark.slow
def test_what_was_kept_stays_when_the_rest_is_given_up(make, stored):
    made, _ = make(said(BEES), "no", count=3)
    assert (made.have, made.wanted, made.tally.kept, made.tally.given_up) == (1, 3, 1, 5)
    assert len(stored()) == 1
    assert "no JSON object" in made.tally.last_findings[0]


def test_a_server_without_schemas_is_asked_without(make, stored):
    refusal = error(400, "response_format is not supported")
    make(refusal, said(BEES), said(WAX), count=2)
    assert len(stored()) == 2
    _, requests = make(refusal, said(MOVE), count=3)
    assert ["response_format" in request for request in requests] == [True, False]


@pytest.mark.parametrize("answer", [error(401, "no such key"), error(404, "no such model")])
def test_a_fault_for_good_ends_the_run_and_what_was_kept_stays(make, stored, answer):
    with pytest.raises(ModelError, match="answered 40"):
        make(said(BEES), answer, count=3)
    assert len(stored()) == 1


@pytest.mark.slow
def test_faults_that_pass_cost_a_topic_each_and_three_in_a_row_the_run(make, stored):
    busy = error(503, "busy")
    made, _ = make(busy, busy, said(BEES), said(WAX), count=2)
    assert (made.tally.kept, made.tally.given_up) == (2, 2)
    with pytest.raises(ModelError, match="503"):
        make(busy, count=4)
    assert len(stored()) == 2


def test_a_refusal_costs_one_topic(make, stored):
    refused = Answer(completion(None, finish="content_filter"))
    made, _ = make(refused, said(BEES))
    assert (made.tally.kept, made.tally.given_up) == (1, 1)


def test_only_one_writes_to_a_file(make, tmp_path):
    with FileLock(tmp_path / ".own.jsonl.lock"), pytest.raises(UsageError, match="another evolif process is writing"):
        make(said(BEES))


def test_places_that_cannot_be_written_are_told_before_anything_is_asked(make, tmp_path):
    (tmp_path / "plain").write_text("", encoding="utf-8")
    with pytest.raises(OutsideError, match="cannot be written"):
        make(said(BEES), out="plain/own.jsonl")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        make(said(BEES), out="folder")


@pytest.mark.parametrize("domain", ["", "  ", "x" * 61, "bees\x1b[2J"])
def test_a_domain_is_a_few_words(make, domain):
    with pytest.raises(UsageError, match="a few words"):
        make(said(BEES), domain=domain)


def test_simulated_models_write_nothing(tmp_path):
    with pytest.raises(UsageError, match="cannot write entries"):
        write_topics(tmp_path / "own.jsonl", "bees", 1, "sim/perfect", seed=1)


@pytest.mark.slow
def test_the_seed_draws_what_is_asked_for(tmp_path):
    asked = []
    for seed in (1, 1, 2):
        with serving(ok(said(BEES))) as server:
            out = tmp_path / f"{len(asked)}.jsonl"
            write_topics(out, "bees", 1, f"openai/tiny?base_url={server.url}", seed=seed)
            asked.append(server.seen[0].body["messages"][1]["content"])
    assert asked[0] == asked[1] != asked[2]


def test_keywords_with_too_many_of_a_letter_are_thinned_out(make, stored):
    offered = [*swapped(0, ("drone", "stand"), ("mite", "shelter"), ("veil", "shade")), "strap", "kettle", "valley"]
    make(said(BEES, keywords=offered))
    [entry] = stored()
    assert len(entry["keywords"]) == 20 and sum(word[0] == "s" for word in entry["keywords"]) <= 4
