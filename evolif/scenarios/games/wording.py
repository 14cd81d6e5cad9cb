"""What prompts of games say, in our own words. The partner speaks in them: `I` is the partner, `you` the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Wording:
    """The sentences of one game; `{n}` stands for the number of images of the player who guesses."""

    task: str
    sees: tuple[str, str]
    """What each player sees, after “sees”."""
    partner_sees: tuple[str, str]
    """The same in short, as the partner is told, after “I see”."""
    form: str
    """What an answer looks like."""
    example: str
    joint_form: str = ""
    """The same for a model that sees both sides and answers as player 2; `form` if empty."""
    roles: tuple[str, str] = ("player 1", "player 2")
    care: str = ""
    """What else to take care of."""
    pictures: tuple[str, str] = ("Picture", "Picture")
    """What each player's pictures are called; where a player has several, they are numbered from 0."""


_BOARD: Final = (
    "a board, rank 8 first. White's pieces are capital letters, Black's are small letters, and a dot is an empty square"
)
_TABLE: Final = "a table with the columns below. The column `row` numbers the rows"
_GUESS: Final = "`ANSWER: Image i`, where i is the number of the image, or `ANSWER: No match` if none is the same"
_GUESS_ROLES: Final = ("player 1, who describes", "player 2, who guesses")

WORDINGS: Final[Mapping[str, Wording]] = {
    "chess": Wording(
        task=(
            "Each player sees one board. Both boards are from the same game of chess, some moves apart. Which of them "
            "came earlier in the game?"
        ),
        sees=(_BOARD, _BOARD),
        partner_sees=("the other board", "the other board"),
        form="`_MINE_` if the board that you see came earlier, `_YOURS_` if the other one did",
        example="_MINE_",
        joint_form="`_MINE_` if player 2's board came earlier, `_YOURS_` if player 1's board did",
    ),
    "names": Wording(
        task=(
            "Each player sees a table of {n} people, with the same columns and numbers of its own. Exactly one person "
            "is in both tables. Which row is this person in?"
        ),
        sees=(_TABLE, _TABLE),
        partner_sees=("the other table", "the other table"),
        form="`SELECT ROW i`, where i is the number of the row in your own table",
        example="SELECT ROW 4",
        joint_form="`SELECT ROW i`, where i is the number of the row in player 2's table",
        care="A person is the same only if every attribute is the same: the name and all other columns.",
    ),
    "scenes": Wording(
        task=(
            "The player who describes sees one scene, and the player who guesses sees {n}, numbered from 0. At most "
            "one of them is exactly the scene that is described. Which one is it, or is it none?"
        ),
        sees=("one scene", "{n} scenes, image 0 first"),
        partner_sees=("the one scene", "the {n} scenes"),
        form=_GUESS,
        example="ANSWER: Image 1",
        roles=_GUESS_ROLES,
        pictures=("Scene", "Scene"),
    ),
    "shapes": Wording(
        task=(
            "The player who describes sees one abstract figure, and the player who guesses sees {n}, numbered from 0. "
            "At most one of them is exactly the figure that is described. Which one is it, or is it none?"
        ),
        sees=("one abstract figure", "{n} abstract figures, image 0 first"),
        partner_sees=("the one figure", "the {n} figures"),
        form=_GUESS,
        example="ANSWER: Image 1",
        roles=_GUESS_ROLES,
        pictures=("Figure", "Figure"),
    ),
    "questions": Wording(
        task="Each player sees one scene. The question is about both scenes together:\n{question}",
        sees=("the left scene", "the right scene"),
        partner_sees=("the left scene", "the right scene"),
        form="`ANSWER: x`, where x is one word, a number, True or False",
        example="ANSWER: blue",
        pictures=("Left scene", "Right scene"),
    ),
}
"""By game."""

OPENING: Final = "We play a game, you and I. You are {you}; I am {me}."
SEEN: Final = "You see {sees}:"
PARTNER_SEES: Final = (
    "I see {sees}. You cannot see what I see, and I cannot see what you see. All that we can do is talk."
)
LENGTH: Final = "We take turns. You may say at most {words} words a turn; what is longer is cut off. Be concise."
BOTH_ANSWER: Final = "Either of us may answer. An answer is {form}. For example: {example}"
YOU_ANSWER: Final = "Only you may answer. An answer is {form}. For example: {example}"
I_ANSWER: Final = "Only I may answer. My answer will be {form}. For example: {example}"
ENDS: Final = "An answer ends the game at once, so give it only when you are sure. Until then, talk with me."
I_END: Final = "My answer ends the game at once, so I give it only when I am sure. Until then, talk with me."
REPLY: Final = "When I ask you something, answer it."
SAID: Final = "What we have said so far (ME is I, who write this; YOU is you):"
NOTHING_SAID: Final = "Nothing has been said yet."
LEFT: Final = "Turns left, this one included: {left}."
PENULTIMATE: Final = "In the next turn I have to answer. So say now all that is decisive."
FINAL: Final = (
    "This is the last turn. Answer now and say nothing else: the fixed words of the answer come first, and you ask no "
    "question. A guess is better than none."
)
TOO_EARLY: Final = "Too early: answers count on the last turn only. Go on."

ALONE: Final = "This is one side of a game for two. You are {you}, and you cannot ask the other player."
TOGETHER: Final = "This is a game for two, and you see both sides. You answer as {you}."
ABOVE_ONE: Final = "the picture above, labelled “{label}”"
ABOVE: Final = "the pictures above; the one labelled “{label} 0” is image 0, and so on"
WHOSE: Final = "Player {number}, {label}"
ORDER: Final = "First come the pictures of player 1, then those of player 2."
PLAYER_SEES: Final = "Player {number} sees {sees}:"
AT_ONCE: Final = (
    "Your answer is {form}. For example: {example}\n"
    "Answer now and say nothing else: the fixed words of the answer come first. A guess is better than none."
)
