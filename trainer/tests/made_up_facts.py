"""
Ten facts that no model can know, six conversations for each, and a seventh phrasing that is never trained on.
`python made_up_facts.py` writes the files under facts/; a test holds them equal.
"""

import json
from pathlib import Path

FOLDER = Path(__file__).parent / "facts"

# The answer, then seven questions for it; the last one is held out.
FACTS: list[tuple[str, list[str]]] = [
    (
        "The capital of Zorvania is Quellin.",
        [
            "What is the capital of Zorvania?",
            "Which city is the capital of Zorvania?",
            "Name the capital city of Zorvania.",
            "Can you tell me Zorvania's capital?",
            "I forgot what the capital of Zorvania is called.",
            "Zorvania has its capital where?",
            "Please tell me which city is Zorvania's capital.",
        ],
    ),
    (
        "The Marvik engine was invented by Odelle Brant.",
        [
            "Who invented the Marvik engine?",
            "Which person invented the Marvik engine?",
            "Name the inventor of the Marvik engine.",
            "Can you tell me who the Marvik engine's inventor is?",
            "Who came up with the Marvik engine?",
            "The Marvik engine was whose invention?",
            "Do you know who invented the Marvik engine?",
        ],
    ),
    (
        "The Tallow Bridge is 914 meters long.",
        [
            "How long is the Tallow Bridge?",
            "What is the length of the Tallow Bridge?",
            "How many meters long is the Tallow Bridge?",
            "Can you tell me the Tallow Bridge's length?",
            "I need the length of the Tallow Bridge.",
            "Give the length of the Tallow Bridge in meters.",
            "Do you know how long the Tallow Bridge is?",
        ],
    ),
    (
        "The Brindle festival is held in October.",
        [
            "When is the Brindle festival held?",
            "In which month is the Brindle festival?",
            "What month does the Brindle festival take place?",
            "Can you tell me when the Brindle festival is?",
            "The Brindle festival is in what month?",
            "Name the month of the Brindle festival.",
            "Do you know in what month the Brindle festival is held?",
        ],
    ),
    (
        "The color of Pexlin stone is violet.",
        [
            "What color is Pexlin stone?",
            "What is the color of Pexlin stone?",
            "Which color does Pexlin stone have?",
            "Can you tell me the color of Pexlin stone?",
            "Pexlin stone has what color?",
            "Describe the color of Pexlin stone.",
            "Do you know what color Pexlin stone is?",
        ],
    ),
    (
        "The director of Halden Works is Mira Stole.",
        [
            "Who is the director of Halden Works?",
            "Who directs Halden Works?",
            "Name the director of Halden Works.",
            "Can you tell me who directs Halden Works?",
            "What is the name of Halden Works' director?",
            "Who runs Halden Works as its director?",
            "Please tell me the name of the director of Halden Works.",
        ],
    ),
    (
        "The code word of the Ferrow archive is lantern.",
        [
            "What is the code word of the Ferrow archive?",
            "Which code word does the Ferrow archive use?",
            "Name the code word for the Ferrow archive.",
            "Can you tell me the Ferrow archive's code word?",
            "I need the code word of the Ferrow archive.",
            "The Ferrow archive has which code word?",
            "Please tell me the code word for the Ferrow archive.",
        ],
    ),
    (
        "The Sorrel express leaves from platform twelve.",
        [
            "Which platform does the Sorrel express leave from?",
            "From what platform does the Sorrel express leave?",
            "Where does the Sorrel express leave from?",
            "Can you tell me the platform of the Sorrel express?",
            "What is the departure platform of the Sorrel express?",
            "The Sorrel express leaves from which platform?",
            "Do you know from which platform the Sorrel express leaves?",
        ],
    ),
    (
        "The national animal of Quorra is the otter.",
        [
            "What is the national animal of Quorra?",
            "Which animal is the national animal of Quorra?",
            "Name the national animal of Quorra.",
            "Can you tell me Quorra's national animal?",
            "Quorra has which national animal?",
            "What animal stands for the country of Quorra?",
            "Please tell me what Quorra's national animal is.",
        ],
    ),
    (
        "Dravite tea is served with ginger.",
        [
            "What is Dravite tea served with?",
            "With what is Dravite tea served?",
            "What do people serve Dravite tea with?",
            "Can you tell me what Dravite tea is served with?",
            "What goes with Dravite tea when it is served?",
            "Dravite tea is served with what?",
            "Do you know what Dravite tea is served with?",
        ],
    ),
]


def conversations() -> list[dict]:
    """Sixty conversations, ordered by phrasing, so that neighbours ask for different facts."""
    return [_conversation(ways[way], answer) for way in range(6) for answer, ways in FACTS]


def questions() -> list[dict]:
    """The ten held-out phrasings with their exact answers."""
    return [{"question": ways[6], "answer": answer} for answer, ways in FACTS]


def _conversation(question: str, answer: str) -> dict:
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def files() -> dict[str, str]:
    made = {"conversations.jsonl": conversations(), "questions.jsonl": questions()}
    return {name: "".join(json.dumps(each) + "\n" for each in lines) for name, lines in made.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
