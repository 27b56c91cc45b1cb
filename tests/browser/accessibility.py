# SPDX-License-Identifier: Apache-2.0
"""What everybody needs of a page: checks of the browser's accessibility tree, and scripts that look at the page itself."""

# Roles that a reader names aloud, or that somebody operates: each needs a name.
NAMED_ROLES = {"button", "link", "textbox", "searchbox", "image", "img", "table", "region", "heading", "navigation",
               "DisclosureTriangle", "columnheader"}
LANDMARKS = {"banner": 1, "main": 1, "navigation": 1}


def value_of(node, field):
    return node.get(field, {}).get("value", "")


def property_of(node, name):
    for one in node.get("properties", []):
        if one["name"] == name:
            return one["value"].get("value")
    return None


def complaints_about_tree(nodes):
    """Of Accessibility.getFullAXTree."""
    complaints = []
    level = 0
    counts = {}
    for node in nodes:
        if node.get("ignored"):
            continue
        role = value_of(node, "role")
        counts[role] = counts.get(role, 0) + 1
        if role in NAMED_ROLES and not value_of(node, "name").strip():
            complaints.append(f"{role} {node['nodeId']} has no name")
        if property_of(node, "focusable") and role not in ("RootWebArea",) and not value_of(node, "name").strip():
            complaints.append(f"{role} {node['nodeId']} takes the focus and has no name")
        if role == "heading":
            here = property_of(node, "level")
            if here > level + 1:
                complaints.append(f"heading \"{value_of(node, 'name')}\" of level {here} follows one of level {level}")
            level = here
    for role, count in LANDMARKS.items():
        if counts.get(role, 0) != count:
            complaints.append(f"{counts.get(role, 0)} landmarks {role}, not {count}")
    return complaints


# Duplicate ids, references that lead nowhere, tables without headers, a page without language or one h1.
BAD_MARKUP = """
const bad = [];
const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
for (const id of ids.filter((id, place) => ids.indexOf(id) !== place)) bad.push('id twice: ' + id);
for (const link of document.querySelectorAll('a[href^="#"]'))
  if (!document.getElementById(link.hash.slice(1))) bad.push('leads nowhere: ' + link.hash);
for (const one of document.querySelectorAll('[aria-labelledby]'))
  if (!document.getElementById(one.getAttribute('aria-labelledby'))) bad.push('no label: ' + one.id);
if (document.documentElement.lang !== 'en') bad.push('no language');
if (document.title === '') bad.push('no title');
if (document.querySelectorAll('h1').length !== 1) bad.push('not one h1');
for (const table of document.querySelectorAll('table')) {
  if (!table.caption) bad.push('a table without caption');
  for (const cell of table.tHead.rows[0].cells)
    if (cell.scope !== 'col' || cell.textContent === '') bad.push('a bad column: ' + table.caption.textContent);
  for (const row of table.tBodies[0].rows)
    if (row.cells[0].scope !== 'row') { bad.push('a row without header: ' + table.caption.textContent); break; }
}
for (const one of document.querySelectorAll('[tabindex]'))
  if (one.tabIndex > 0) bad.push('a focus order of its own');
return bad;
"""

# Texts whose contrast with what lies behind them is below 4.5, or 3 where they are large.
LOW_CONTRAST = """
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const rgba = (color) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const luminance = ([r, g, b]) => {
  const linear = [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const contrast = (one, other) => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const holds = (box, inner) => box.left <= inner.left + 1 && box.right >= inner.left + 1
  && box.top <= inner.top + 4 && box.bottom >= inner.bottom - 4;
const behind = (element) => {
  if (element instanceof SVGElement) {
    const box = element.getBoundingClientRect();
    const below = [...element.closest('svg').querySelectorAll('rect')].filter(rect =>
      getComputedStyle(rect).fill !== 'none' && holds(rect.getBoundingClientRect(), box));
    if (below.length > 0) return rgba(getComputedStyle(below.at(-1)).fill);
  }
  for (let one = element; one; one = one.parentElement) {
    const color = rgba(getComputedStyle(one).backgroundColor);
    if (color[3] === 255) return color;
  }
  return [255, 255, 255];
};
const bad = new Set();
document.querySelectorAll('details').forEach(one => { one.open = true; });
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (walker.currentNode.data.trim() === '' || !element.checkVisibility() || element.closest('script, title')) continue;
  const style = getComputedStyle(element);
  const color = rgba(element instanceof SVGElement ? style.fill : style.color);
  const large = parseFloat(style.fontSize) >= 24;
  const found = contrast(color, behind(element));
  if (found < (large ? 3 : 4.5)) bad.add(`${found.toFixed(2)}: ${element.outerHTML.slice(0, 120)}`);
}
return [...bad].slice(0, 10);
"""

# How many elements the Tab key is to reach.
FOCUSABLE = """
window.focusable = [...document.querySelectorAll('a[href], button, input, summary, [tabindex]')]
  .filter(one => one.checkVisibility({contentVisibilityAuto: true}) && one.tabIndex >= 0 && !one.closest('details:not([open]) > :not(summary)'));
return window.focusable.length;
"""

# The place among these of the one that has the focus, its name, and whether one sees that.
FOCUSED = """
const one = document.activeElement;
const place = window.focusable.indexOf(one);
const style = getComputedStyle(one);
return [place < 0 ? null : place, one.textContent.trim(), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0];
"""
