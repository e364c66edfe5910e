// node render.js CAST SVG dark|light [from FROM | at AT], in milliseconds: the whole of a recorded terminal
// from a moment on, or one moment.
const fs = require("fs");
const { render } = require("svg-term");
const [cast, svg, ground, which, when] = process.argv.slice(2);
// The colours of the terminal itself. All others of the console are of 24 bits.
const [background, text] = ground === "light" ? [[251, 251, 248], [28, 31, 38]] : [[22, 24, 29], [215, 218, 224]];
const theme = {
  background, text, bold: text, cursor: text, fontSize: 1.67, lineHeight: 1.3,
  fontFamily: "'DejaVu Sans Mono',Menlo,'Cascadia Mono','Liberation Mono',monospace",
};
for (let i = 0; i < 16; i++) theme[i] = text;
const drawn = render(fs.readFileSync(cast, "utf8"), { theme, cursor: false, paddingX: 10, paddingY: 10, [which]: Number(when) });
// Not every viewer knows "white-space: pre", by which the converter keeps blanks.
fs.writeFileSync(svg, drawn.replace("<svg ", '<svg xml:space="preserve" '));
