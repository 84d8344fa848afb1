"""The adapter's README."""

import json
from typing import Any


def model_card(result: dict[str, Any]) -> str:
    base, data, held, kept = result["base"], result["data"], result["held_out"], result["retention"]
    head = {"base_model": base["id"], "library_name": "peft", "pipeline_tag": "text-generation", "tags": ["lora"]}
    lines = [
        "---",
        *(f"{key}: {json.dumps(value)}" for key, value in head.items()),
        "---",
        "",
        f"# {result['name']}",
        "",
    ]
    lines += [f"A LoRA adapter of {base['id']}, trained by Roundhouse.", ""]
    lines += ["| | |", "|---|---|"]
    rows = {
        "Base": base["id"],
        "Revision": base["revision"] or "unknown",
        "Data (SHA-256)": f"`{data['sha256']}`",
        "Conversations": f"{data['conversations']}, of which {data['held_out']} held out",
        "Tokens": data["tokens"],
        "Truncated conversations": data["truncated"],
        "Steps": f"{result['steps']}{' (stopped early)' if result['stopped_early'] else ''}",
        "Time": f"{result['seconds']:.0f} s on {result['device']}",
        **{key.replace("_", " ").capitalize(): value for key, value in result["hyperparameters"].items()},
    }
    lines += [f"| {key} | {value} |" for key, value in rows.items()]
    lines += ["", "## Losses", "", "| | Base | Adapter |", "|---|---|---|"]
    if held:
        for key in ("loss", "exact_match", "token_f1"):
            if held["base"].get(key) is not None:
                name = "Held-out conversations, " + key.replace("_", " ")
                lines.append(f"| {name} | {held['base'][key]:.4g} | {held['adapter'][key]:.4g} |")
    lines.append(f"| General questions, loss | {kept['base_loss']:.4g} | {kept['adapter_loss']:.4g} |")
    lines += ["", f"Final training loss: {result['loss']:.4g}."]
    change = kept["change"] * 100
    how = "with" if kept["mode"] == "kl" else "without"
    lines += [
        f"The loss on general questions changed by {change:+.1f} % (trained {how} retention).",
        "",
    ]
    return "\n".join(lines)
