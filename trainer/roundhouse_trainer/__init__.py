"""Trains LoRA adapters for the platform; see README.md beside this package for how it is called."""

__version__ = "0.1.0"
