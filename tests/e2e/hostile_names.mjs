/* Writes a Caffe network whose 500 layers have names that try to be markup, script, control codes or
 * text that runs backwards. */
const tricks = [
    '<script>window.hacked=1</script>', '<img src=x onerror=window.hacked=1>', '"><svg onload=window.hacked=1>',
    'javascript:window.hacked=1', '\u202Egnp.exe', '\u2066isolated\u2069', '\u0007bell', '\u001b[31mred', '{{7*7}}', '${window.hacked=1}',
    '&lt;b&gt;', "'; DROP TABLE nodes; --", '../../etc/passwd', '\u200bzero\u200bwidth', '中文/名称', '𝕏'.repeat(40), 'a'.repeat(3000),
];
const quote = (text) => JSON.stringify(text).replace(/\\u([0-9a-f]{4})/g, (_, hex) =>
    `\\${parseInt(hex, 16).toString(8).padStart(3, '0')}`);
let out = 'name: "hostile"\nlayer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n';
let before = 'data';
for (let i = 0; i < 500; i++) {
    const name = `${tricks[i % tricks.length]} ${i}`;
    out += `layer { name: ${quote(name)} type: "ReLU" bottom: ${quote(before)} top: ${quote(name)} }\n`;
    before = name;
}
process.stdout.write(out);
