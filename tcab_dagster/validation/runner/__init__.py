"""The part of validation that runs beside the browser: drives a built site and writes what it saw.

Belongs here: everything that happens in the validator's sandbox. Does not: building the site,
deciding what a failure means for the run, anything else of tcab: this folder is put into the
sandbox as it stands and imports nothing from outside it but the image's own packages.
Concept: spec 000, "Automated validation"; docs/validation.md.

It can be used directly against a folder that holds a built site, which is how a script is written:

    python -m tcab_dagster.validation.runner --site DIST --case VERSION_FOLDER --handle __carom \\
        --script validation/scoring.mjs --script validation/spin/moving.mjs --video --out /tmp/out

prints each script's verdicts and notes and leaves its pictures and clips in --out. Without
--script only the load check runs. `--check VIEW=reference/gameplay.html` compares the page, as it
is on load, with a mockup.
"""
