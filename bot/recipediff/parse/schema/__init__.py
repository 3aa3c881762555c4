"""The shape of a tested recipe, declared once: the reader and the published JSON Schemas are both made from it."""
