"""Sphinx's settings for the documentation site; tools/site/build.py sets the environment that they read."""

import os
import posixpath

import furo

project = "Dojima"
author = "Dojima maintainers"
version = release = os.environ["DOJIMA_VERSION"]
copyright = ""

extensions = ["myst_parser", "breathe", "sphinx.ext.graphviz"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_xml"]

myst_heading_anchors = 6

breathe_projects = {"dojima": os.environ["DOJIMA_DOXYGEN_XML"]}
breathe_default_project = "dojima"
breathe_show_include = False
cpp_id_attributes = ["DOJIMA_ALWAYS_INLINE"]

# What is not written in a language that Pygments knows stays as it is.
highlight_language = "none"
graphviz_output_format = "svg"

html_theme = "furo"
html_title = f"Dojima {version}"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"top_of_page_buttons": []}
# References that leave the site are checked by tools/site/build.py; nothing is asked of the network.
nitpicky = False


def share_menus():
    """Pages that are in no menu, those of headers and sources, have the same one in all of a folder. Furo makes it anew for every page, which
    is most of what a page takes."""
    whole = furo._compute_navigation_tree
    made = {}

    def menu(context):
        if "orphan" not in (context.get("meta") or {}):
            return whole(context)
        folder = posixpath.dirname(context["pagename"])
        if folder not in made:
            made[folder] = whole(context)
        return made[folder]

    furo._compute_navigation_tree = menu


share_menus()
