"""Trains LoRA adapters for the platform. README.md beside this package describes its interface."""

__version__ = "0.1.0"
