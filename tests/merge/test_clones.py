"""Clones that merge through git, with the driver registered as install registers it."""

from __future__ import annotations

import itertools

import pytest

from afterword.install import repository

from . import acts, building
from .building import SHA, candidate, decided, edit, promoted, real, rejected
from .clones import (
    CANDIDATES,
    CURATED,
    EVOLUTION,
    SESSIONS,
    TOOL,
    Clone,
    clone,
    run,
    script,
)

TAGS = "tags:\n  - derived\n  - decision\n"
COMMON = "e1-0a1b2c3d4e5f"
PATH, PROMOTED = f"{CANDIDATES}/{COMMON}.md", f"{CURATED}/{COMMON}.md"
BASE = candidate(COMMON)


def tagged(*tags: str, base: bytes = BASE) -> bytes:
    return edit(base, TAGS, TAGS + "".join(f"  - {tag}\n" for tag in tags))


def five(episode: str) -> dict[str, bytes]:
    """Five records of an episode, as alike as derived records are."""
    names = [f"{episode}-{at:012x}" for at in range(5)]
    return {
        f"{CANDIDATES}/{name}.md": candidate(name, title=f"Rule {at} of {episode}")
        for at, name in enumerate(names)
    }


def ids(repo: Clone) -> list[str]:
    found = (repo.root / CANDIDATES).glob("*.md")
    return sorted(building.fields(path.read_bytes())["id"] for path in found)


def both_ways(one: Clone, other: Clone) -> None:
    """Each merges what the other had; both end with the same content, and no litter."""
    heads = [side.git("rev-parse", "HEAD") for side in (one, other)]
    assert one.merges(other).code == 0
    other.git("fetch", "-q", str(one.root), heads[0])
    other.git("merge", "--no-edit", "FETCH_HEAD")
    assert one.tree == other.tree
    assert one.litter == other.litter == []
    assert heads[0] != heads[1]


def test_h43_records_added_on_two_branches_never_meet(team):
    one, other = team({PATH: BASE})
    one.commit(five("e2"))
    other.commit(five("e3"))
    both_ways(one, other)
    assert len(ids(one)) == len(set(ids(one))) == 11


def test_h43_additions_to_one_record_are_united(team):
    one, other = team({PATH: BASE})
    one.commit({**five("e2"), PATH: tagged("uploads")})
    other.commit({**five("e3"), PATH: tagged("network")})
    both_ways(one, other)
    assert one.read(PATH) == tagged("network", "uploads")
    assert len(set(ids(one))) == 11


@pytest.mark.parametrize("turned", [False, True], ids=["a into b", "b into a"])
def test_h43_the_edit_of_one_record_is_a_loud_conflict_and_the_only_one(team, turned):
    one, other = team({PATH: BASE})
    one.commit({**five("e2"), PATH: edit(BASE, "class: convention", "class: fact")})
    other.commit({**five("e3"), PATH: edit(BASE, "class: convention", "class: lesson")})
    sides = (other, one) if turned else (one, other)
    ran = sides[0].merges(sides[1])
    assert ran.code == 1
    assert f"afterword: {PATH}: both sides changed class; choose between" in ran.said
    assert sides[0].unmerged == {PATH}
    kinds = ("lesson", "fact") if turned else ("fact", "lesson")
    wanted = "<<<<<<< ours\nclass: {}\n=======\nclass: {}\n>>>>>>> theirs\n"
    marked = edit(BASE, "class: convention\n", wanted.format(*kinds))
    assert sides[0].read(PATH) == marked
    assert len(list((sides[0].root / CANDIDATES).glob("*.md"))) == 11


def act(repo: Clone, data: bytes) -> None:
    """A promotion moves the record, a rejection stays where it is."""
    if b"status: verified" in data:
        repo.commit({PATH: None, PROMOTED: data})
    else:
        repo.commit({PATH: data})


@pytest.mark.parametrize("turned", [False, True], ids=["promoted", "rejected"])
def test_promoted_on_one_branch_and_rejected_on_the_other_is_shown(team, turned):
    one, other = team({PATH: BASE})
    act(one, promoted(BASE, "Seen in use."))
    act(other, rejected(BASE, "It is not so."))
    sides = (other, one) if turned else (one, other)
    ran = sides[0].merges(sides[1])
    assert ran.code == 1
    assert "both sides changed status, body" in ran.said
    assert sides[0].unmerged == {PROMOTED}
    text = sides[0].read(PROMOTED).decode()
    for said in ("verified", "superseded", "Seen in use.", "It is not so."):
        assert said in text


def test_promoted_on_both_branches_with_other_evidence_is_shown(team):
    one, other = team({PATH: BASE})
    act(one, promoted(BASE, "Seen in use.", "session:e7", "2026-11-09"))
    act(other, promoted(BASE, "Measured.", "session:e5", "2026-11-08"))
    ran = one.merges(other)
    assert ran.code == 1
    assert one.unmerged == {PROMOTED}
    text = one.read(PROMOTED).decode()
    assert "<<<<<<< ours\nSeen in use.\n=======\nMeasured.\n>>>>>>> theirs\n" in text
    assert "date: 2026-11-08\n" in text
    assert "    - session:e5\n    - session:e7\n" in text


def test_promoted_on_both_branches_with_the_same_words_is_one_record(team):
    one, other = team({PATH: BASE})
    act(one, promoted(BASE, "Seen in use.", "session:e7"))
    act(other, promoted(BASE, "Seen in use.", "session:e5"))
    both_ways(one, other)
    assert not (one.root / PATH).exists()


def test_deleted_on_one_branch_and_edited_on_the_other_keeps_the_edit_in_sight(team):
    one, other = team({PATH: BASE})
    one.commit({PATH: None})
    other.commit({PATH: tagged("uploads")})
    for side, from_side in ((one, other), (other, one)):
        ran = side.merges(from_side)
        assert ran.code == 1
        assert "CONFLICT (modify/delete)" in ran.said
        assert side.read(PATH) == tagged("uploads")
        side.git("merge", "--abort")


def test_the_same_episode_closed_on_two_clones_is_one_record(team):
    path = f"{SESSIONS}/e1.md"
    one, other = team({PATH: BASE})
    first = decided("Tabs are refused")
    one.commit(
        {path: building.session("2026-11-02T10:00:00.000Z", [first], commits=(SHA[2],))}
    )
    other.commit(
        {
            path: building.session(
                "2026-11-02T12:00:00.000Z",
                [first, decided("Spaces stay")],
                outcome="interrupted",
                commits=(SHA[1],),
            )
        }
    )
    both_ways(one, other)
    found = building.fields(one.read(path))
    assert found["outcome"] == "interrupted"
    assert found["commits"] == [SHA[1], SHA[2]]
    assert found["decisions"] == ["Tabs are refused", "Spaces stay"]


def test_a_pair_of_different_records_by_rename_detection_is_never_mixed(team):
    """One branch deletes a record and adds one like it; the other edits the first."""
    new = "e2-ffffffffffff"
    one, other = team({PATH: BASE})
    one.commit({PATH: None, f"{CANDIDATES}/{new}.md": candidate(new)})
    other.commit({PATH: tagged("uploads")})
    ran = one.merges(other)
    assert ran.code == 1
    assert "two different records met in one file" in ran.said
    text = one.read(f"{CANDIDATES}/{new}.md")
    assert text == (
        b"<<<<<<< ours\n%b=======\n%b>>>>>>> theirs\n"
        % (candidate(new), tagged("uploads"))
    )


def test_a_cherry_pick_brings_one_change_over(team):
    one, other = team({PATH: BASE})
    other.commit({PATH: tagged("network")})
    picked = other.commit({PATH: tagged("network", "uploads")})
    one.commit({PATH: edit(tagged("parser"), "class: convention", "class: fact")})
    one.git("fetch", "-q", str(other.root), "HEAD")
    assert one.tries("cherry-pick", picked).code == 0
    wanted = edit(
        tagged("network", "parser", "uploads"), "class: convention", "class: fact"
    )
    assert one.read(PATH) == wanted
    assert one.litter == []


def test_a_cherry_pick_of_a_contradiction_is_a_conflict(team):
    one, other = team({PATH: BASE})
    picked = other.commit({PATH: rejected(BASE, "It is not so.")})
    one.commit({PATH: edit(BASE, "status: candidate", "status: verified")})
    one.git("fetch", "-q", str(other.root), "HEAD")
    assert one.tries("cherry-pick", picked).code == 1
    assert one.unmerged == {PATH}


def test_a_rebase_replays_each_change(team):
    one, other = team({PATH: BASE})
    for tags in (("alpha",), ("alpha", "beta"), ("alpha", "beta", "gamma")):
        other.commit({PATH: tagged(*tags)})
    one.commit({PATH: tagged("parser")})
    other.git("fetch", "-q", str(one.root), "HEAD")
    assert other.tries("rebase", "FETCH_HEAD").code == 0
    assert other.read(PATH) == tagged("alpha", "beta", "gamma", "parser")
    assert other.git("rev-list", "--count", "FETCH_HEAD..HEAD") == "3"
    assert other.litter == []


def test_a_revert_takes_one_item_out_again(team):
    (one,) = team({PATH: BASE}, count=1)
    wrong = one.commit({PATH: tagged("uploads")})
    one.commit({PATH: edit(tagged("uploads"), "class: convention", "class: fact")})
    one.git("revert", "--no-edit", wrong)
    assert one.read(PATH) == edit(BASE, "class: convention", "class: fact")


def test_a_stash_is_popped_onto_what_came_in_between(team):
    (one,) = team({PATH: BASE}, count=1)
    one.write(PATH, tagged("uploads"))
    one.git("stash")
    one.commit({PATH: tagged("network")})
    assert one.tries("stash", "pop").code == 0
    assert one.read(PATH) == tagged("network", "uploads")
    assert one.litter == []


def octopus(team, *kinds: str):
    """Merge at once the heads of clones that each gave the record another class."""
    one, *others = team({PATH: BASE}, count=len(kinds) + 1)
    one.commit({PATH: tagged("parser")})
    heads = []
    for side, kind in zip(others, kinds, strict=True):
        changed = edit(BASE, "class: convention", f"class: {kind}")
        heads.append(side.commit({PATH: changed}))
        one.git("fetch", "-q", str(side.root), "HEAD")
    before = one.git("rev-parse", "HEAD")
    ran = one.tries("merge", "--no-edit", *heads)
    assert ran.code != 0
    assert one.git("rev-parse", "HEAD") == before
    return one, ran


def test_an_octopus_refuses_a_contradiction_and_changes_nothing(team):
    """git merges more than two heads without drivers: the record must not be mixed."""
    one, ran = octopus(team, "fact", "lesson", "constraint")
    assert "Should not be doing an octopus." in ran.said
    assert one.unmerged == set()
    assert one.read(PATH) == tagged("parser")


def test_an_octopus_shows_a_contradiction_of_its_last_head(team):
    one, _ = octopus(team, "fact", "lesson")
    assert one.unmerged == {PATH}
    text = one.read(PATH).decode()
    assert "class: fact\n=======\nclass: lesson\n>>>>>>> " in text
    one.git("reset", "-q", "--merge")
    assert one.read(PATH) == tagged("parser")


def test_histories_that_cross_are_merged_without_markers_from_the_past(team):
    """Two merge bases: git builds an ancestor that nobody wrote (`recursive=binary`)."""
    one, other = team({PATH: BASE})
    one.commit({PATH: tagged("alpha")})
    other.commit({PATH: tagged("beta")})
    heads = [side.git("rev-parse", "HEAD") for side in (one, other)]
    assert one.merges(other).code == 0
    other.git("fetch", "-q", str(one.root), heads[0])
    other.git("merge", "--no-edit", heads[0])
    one.commit({PATH: tagged("alpha", "beta", "gamma")})
    other.commit({PATH: tagged("alpha", "beta", "delta")})
    both_ways(one, other)
    assert one.read(PATH) == tagged("alpha", "beta", "delta", "gamma")


def test_a_linked_worktree_and_a_subfolder_merge_alike(team):
    one, other = team({PATH: BASE, "lib/code.py": "x = 1\n"})
    other.commit({PATH: tagged("network")})
    one.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Clone(one.root.parent / "side", tool=None)
    side.commit({PATH: tagged("uploads")})
    side.git("fetch", "-q", str(other.root), "HEAD")
    assert side.tries("merge", "--no-edit", "FETCH_HEAD", cwd="lib").code == 0
    assert side.read(PATH) == tagged("network", "uploads")


def test_records_merge_while_the_settings_are_in_conflict(team):
    config = ".ai/config.yaml"
    one, other = team({PATH: BASE, config: "paths:\n  curated: a/b\n"})
    one.commit({PATH: tagged("uploads"), config: "paths:\n  curated: a/c\n"})
    other.commit({PATH: tagged("network"), config: "paths:\n  curated: a/d\n"})
    assert one.merges(other).code == 1
    assert one.unmerged == {config}
    assert one.read(PATH) == tagged("network", "uploads")


def test_an_adopted_tree_is_merged_by_its_own_paths(team):
    path = "memory/candidates/x.md"
    one, other = team(
        {
            path: BASE,
            "memory/.gitattributes": "*.md merge=afterword\n",
            ".ai/config.yaml": "paths:\n  candidates: memory/candidates\n",
        }
    )
    one.commit({path: tagged("uploads")})
    other.commit({path: tagged("network")})
    both_ways(one, other)
    assert one.read(path) == tagged("network", "uploads")


def test_h44_a_file_with_markers_goes_to_git_and_gets_louder(team):
    marked = edit(BASE, "class: convention\n", "<<<<<<< ours\nclass: fact\n")
    one, other = team({PATH: BASE})
    one.commit({PATH: marked})
    other.commit({PATH: edit(BASE, "class: convention", "class: lesson")})
    ran = one.merges(other)
    assert ran.code == 1
    assert "left to git's own merge: ours: holds merge markers in line 5" in ran.said
    assert one.unmerged == {PATH}
    text = one.read(PATH)
    assert text.count(b"<<<<<<< ours") == 2
    assert b"class: fact" in text and b"class: lesson" in text


def contradict(team, tool: str | None) -> tuple[Clone, str]:
    """What is left of one text against another with this tool, and what git said."""
    one, other = team({PATH: BASE}, tool=tool)
    one.commit({PATH: edit(BASE, "class: convention", "class: fact")})
    other.commit({PATH: edit(BASE, "class: convention", "class: lesson")})
    ran = one.merges(other)
    assert ran.code == 1
    assert one.unmerged == {PATH}
    assert one.litter == []
    return one, ran.said


def test_without_the_driver_an_ordinary_text_conflict_remains(team):
    one, _ = contradict(team, None)
    text = one.read(PATH).decode()
    assert "<<<<<<< HEAD\nclass: fact\n=======\nclass: lesson\n>>>>>>> " in text


def test_a_merge_on_a_server_is_an_ordinary_text_conflict(team, tmp_path):
    one, other = team({PATH: BASE}, tool=None)
    one.commit({PATH: tagged("uploads")})
    other.commit({PATH: tagged("network")})
    one.git("fetch", "-q", str(other.root), "HEAD:theirs")
    assert (
        run(["git", "clone", "-q", "--bare", str(one.root), "bare"], tmp_path).code == 0
    )
    ran = run(
        ["git", "merge-tree", "--write-tree", "main", "theirs"], tmp_path / "bare"
    )
    assert ran.code == 1
    shown = run(
        ["git", "show", f"{ran.out.splitlines()[0]}:{PATH}"], tmp_path / "bare"
    ).out
    assert "<<<<<<< main\n  - uploads\n=======\n  - network\n>>>>>>> theirs\n" in shown


OURS_AND_THEIRS = "<<<<<<< ours\nclass: fact\n=======\nclass: lesson\n>>>>>>> theirs\n"


@pytest.mark.parametrize(
    "body",
    [
        "kill -9 $$",
        "exit 1",
        "exit 2",
        "exit 3",
        "exit 127",
        'printf "" >"$3"; exit 130',
    ],
    ids=["killed", "1 without markers", "2", "3", "127", "interrupted"],
)
def test_a_tool_that_does_not_merge_leaves_both_sides_in_sight(team, tmp_path, body):
    """Else git would keep our side and drop theirs without a marker."""
    one, _ = contradict(team, script(tmp_path / "tool", body))
    if "printf" not in body:
        assert OURS_AND_THEIRS in one.read(PATH).decode()


def test_a_tool_that_is_gone_leaves_both_sides_in_sight(team, tmp_path):
    one, _ = contradict(team, str(tmp_path / "gone" / "afterword"))
    assert OURS_AND_THEIRS in one.read(PATH).decode()


def test_a_tool_that_is_gone_still_lets_git_merge_what_it_can(team, tmp_path):
    one, other = team({PATH: BASE}, tool=str(tmp_path / "gone"))
    one.commit({PATH: edit(BASE, "kind: knowledge", "kind: note")})
    other.commit({PATH: BASE + b"\nMore.\n"})
    assert one.merges(other).code == 0
    assert one.read(PATH) == edit(BASE, "kind: knowledge", "kind: note") + b"\nMore.\n"


def test_a_driver_killed_after_its_rename_loses_nothing(team, tmp_path):
    """The last window of DESIGN 10: %A is merged already, and git merges it once more."""
    tool = script(tmp_path / "tool", f'"{TOOL}" "$@"; kill -9 $$')
    one, other = team({PATH: BASE}, tool=tool)
    one.commit({PATH: tagged("uploads")})
    other.commit({PATH: tagged("network")})
    one.merges(other)
    text = one.read(PATH).decode()
    assert "  - uploads\n" in text and "  - network\n" in text


def test_crlf_checkouts_merge_as_lf(team):
    """`text eol=lf` beside the records: a checkout with CRLF keeps their bytes."""
    one, other = team({PATH: BASE})
    one.git("config", "core.autocrlf", "true")
    one.commit({PATH: tagged("uploads").replace(b"\n", b"\r\n")})
    other.commit({PATH: tagged("network")})
    both_ways(one, other)
    assert one.read(PATH) == tagged("network", "uploads")


def test_a_path_that_a_shell_would_read_is_only_a_path(team, tmp_path):
    path = f"""{CURATED}/it's a $(touch gone) "name"; x.md"""
    one, other = team({path: BASE})
    one.commit({path: tagged("uploads")})
    other.commit({path: tagged("network")})
    both_ways(one, other)
    assert one.read(path) == tagged("network", "uploads")


def test_a_project_wired_by_init_and_install_s_keys_merges_its_records(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    assert run(["git", "init", "-q"], source).code == 0
    assert run([TOOL, "init"], source).code == 0
    first = Clone(source, tool=None)
    first.commit({PATH: BASE})
    one, other = (clone(source, tmp_path / name, tool=None) for name in ("a", "b"))
    for side in (one, other):
        place = repository.find(str(side.root))
        for key, value in repository.keys(TOOL).items():
            repository.configure(place, key, value)
    one.commit({PATH: tagged("uploads")})
    other.commit({PATH: tagged("network")})
    both_ways(one, other)
    assert one.read(PATH) == tagged("network", "uploads")


def test_a_clone_from_elsewhere_has_attributes_but_no_driver(team, tmp_path):
    """A colleague without the tool: git takes an unknown driver for its own."""
    one, _ = team({PATH: BASE})
    plain = clone(one.root, tmp_path / "plain", tool=None)
    one.commit({PATH: tagged("uploads")})
    plain.commit({PATH: edit(BASE, "class: convention", "class: fact")})
    assert plain.merges(one).code == 0
    assert plain.read(PATH) == edit(
        tagged("uploads"), "class: convention", "class: fact"
    )


QUEUE = f"{EVOLUTION}/{acts.QUEUE}"
# The seed's files as an adopted project has them, and a log that goes on.
GROWN: dict[str, bytes | str] = {
    ".ai/.gitignore": "local/\n",
    QUEUE: real("learning_queue.2026-02-28"),
    f"{EVOLUTION}/{acts.LOG}": real("reflection_log.2026-02-27.a767"),
    f"{EVOLUTION}/{acts.BASE}": real("knowledge_base.2026-02-28"),
}


def memory(repo: Clone) -> acts.Memory:
    """The evolution files of a clone."""
    paths = (repo.root / EVOLUTION).rglob("*.md")
    return {path.name: path.read_bytes() for path in paths}


def does(repo: Clone, *commands: str) -> None:
    """Run commands as a session does, and commit what they changed."""
    for command in commands:
        ran = repo.afterword(*command.split("|"))
        assert ran.code == 0, ran.said
    repo.commit({})


def test_clones_that_learn_evolve_archive_and_reflect_converge_in_any_order(team):
    """One has evolved, one has archived, one has looked back: nothing is lost or doubled."""
    one, two, three, hub = team(GROWN, 4)
    base = hub.git("rev-parse", "HEAD")
    does(one, "learn|Retry three times", "learn|Close files", "evolve")
    does(two, "learn|Name the cause", "queue|archive", "learn|Ask first")
    for text in ("It went well", "It went on"):
        (three.root / "text").write_text(f"### What went well\n\n{text}\n")
        ran = run(["sh", "-c", f"{TOOL} reflect add <text && rm text"], three.root)
        assert ran.code == 0, ran.said
    does(three, "learn|Look back", "evolve")
    versions = [memory(side) for side in (hub, one, two, three)]
    heads = [side.git("rev-parse", "HEAD") for side in (one, two, three)]
    for side in (one, two, three):
        hub.git("fetch", "-q", str(side.root), "HEAD")
    trees = set()
    for order in itertools.permutations(heads):
        hub.git("checkout", "-q", "--detach", base)
        for head in order:
            ran = hub.tries("merge", "--no-edit", head)
            assert ran.code == 0, ran.said
        trees.add(hub.tree)
    assert len(trees) == 1
    assert hub.litter == []
    found = memory(hub)
    queued = acts.items(found) + acts.archived(found)
    assert len(queued) == len(set(queued)) == 35
    for version in versions:
        assert set(acts.items(version)) <= set(queued)
        assert set(acts.rows(version)) <= set(acts.rows(found))
        assert version.keys() <= found.keys()
    assert len(acts.rows(found)) == len(acts.rows(versions[0])) + 3
    assert len(acts.sessions(found)) == len(acts.sessions(versions[3]))
    # the merged files are files of ours: the next commands work on them
    does(hub, "queue|archive", "reflect|roll", "evolve", "queue|list", "knowledge")


def five_items(data: bytes, side: str) -> bytes:
    todo = [acts.Act("learn", 1, f"{side}{at}") for at in range(5)]
    return acts.done(todo, {acts.QUEUE: data})[acts.QUEUE]


def contested(team, tool: str | None = TOOL) -> tuple[Clone, Clone]:
    """Two clones that each add five items and edit one that both have."""
    one, two = team(GROWN, tool=tool)
    for side, name in ((one, "a"), (two, "b")):
        data = edit(side.read(QUEUE), "windowsHide 选项\n", f"windowsHide {name}\n")
        side.commit({QUEUE: five_items(data, name)})
    return one, two


@pytest.mark.parametrize("turned", [False, True], ids=["a into b", "b into a"])
def test_h43_the_edit_of_one_queue_item_is_a_loud_conflict_and_the_only_one(
    team, turned
):
    sides = contested(team)[:: -1 if turned else 1]
    ran = sides[0].merges(sides[1])
    assert ran.code == 1
    assert (
        f"afterword: {QUEUE}: both sides changed LQ-029: heading; choose between the"
        " markers, then git add it\n"
    ) in ran.said
    assert sides[0].unmerged == {QUEUE}
    data = sides[0].read(QUEUE)
    assert data.count(b"<<<<<<< ours") == 1
    own = [name for name in acts.items({acts.QUEUE: data}) if name.count("-") == 2]
    assert len(own) == len(set(own)) == 10


def test_commands_refuse_a_queue_in_conflict_by_line_until_it_is_resolved(team):
    one, two = contested(team)
    assert one.merges(two).code == 1
    before = one.read(QUEUE)
    line = before[: before.index(b"<<<<<<<")].count(b"\n") + 1
    for words in (
        ["learn", "More"],
        ["queue", "list"],
        ["queue", "archive"],
        ["evolve"],
    ):
        ran = one.afterword(*words)
        assert ran.code != 0
        assert f"{QUEUE}:{line}: a merge left its conflict markers here" in ran.said
    assert one.read(QUEUE) == before
    lines = before.split(b"\n")
    kept = [
        text for text in lines if text[:7] not in (b"<<<<<<<", b"=======", b">>>>>>>")
    ]
    kept.remove("### LQ-029: execSync 不支持 windowsHide b".encode())
    one.write(QUEUE, b"\n".join(kept))
    one.git("add", QUEUE)
    one.git("commit", "-q", "--no-edit")
    does(one, "learn|More")


def test_without_the_driver_it_is_an_ordinary_conflict_that_commands_refuse(team):
    one, two = contested(team, tool=None)
    ran = one.merges(two)
    assert ran.code == 1
    assert f"CONFLICT (content): Merge conflict in {QUEUE}" in ran.said
    data = one.read(QUEUE)
    line = data[: data.index(b"<<<<<<<")].count(b"\n") + 1
    refused = one.afterword("learn", "More")
    assert refused.code != 0
    assert f"{QUEUE}:{line}: " in refused.said
    assert one.read(QUEUE) == data


def test_an_adopted_tree_is_merged_where_it_lies(team):
    """`.omc/axiom` has its log one level up, its archives beside the queue."""
    queue, log = (
        ".omc/axiom/evolution/learning_queue.md",
        ".omc/axiom/reflection_log.md",
    )
    files: dict[str, bytes | str] = {
        ".ai/config.yaml": f"paths:\n  queue: {queue}\n  reflections: {log}\n",
        ".omc/axiom/.gitattributes": "*.md merge=afterword\n",
        queue: real("learning_queue.2026-02-28"),
        log: real("reflection_log.2026-02-24"),
    }
    one, two = team(files)
    for side, name in ((one, "a"), (two, "b")):
        learned = five_items(side.read(queue), name)
        reflected = acts.Act("reflect", 1, name).apply({acts.LOG: side.read(log)})
        side.commit({queue: learned, log: reflected[acts.LOG]})
    both_ways(one, two)
    names = acts.items({acts.QUEUE: one.read(queue)})
    assert len(names) == len(set(names)) == 40
    assert acts.sessions({acts.LOG: one.read(log)})[-2:] == ["session-a", "session-b"]
    assert one.read(log).count(b"\0") == 6
