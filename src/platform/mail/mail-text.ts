const HEADER_CHARACTERS = 200;
/** Characters that IDNA treats as dots. The last two also end sentences in Chinese and Japanese text. */
const DOTS = '.\u2024\uff0e\ufe52\u3002\uff61';
const ANY_DOT = new RegExp(`[${DOTS}]`, 'g');
const DOMAIN_DOT = /(?<=\S)(?:[.\u2024\uff0e\ufe52](?=\p{L}[\p{L}\p{M}\p{N}-])|[\u3002\uff61](?=[a-z][a-z-]))/giu;
const NUMERIC_ADDRESS = new RegExp(`\\d{1,3}(?:[${DOTS}]\\d{1,3}){3}`, 'g');
/** Control and direction characters, but no joiners, which emoji need. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** URL schemes without slashes that mail clients turn into links. */
const SCHEME = /(?<=\b(?:mailto|tel|sms|callto|skype|facetime|javascript|data|file)):(?=\S)/giu;

/**
 * Makes a name from an untrusted user safe for a mail: one line, no control or direction characters, and no text that
 * mail clients turn into a link. `evil.example` becomes `evil[.]example`, `https://` becomes `https[:]//`.
 */
export function inertName(name: string): string {
  return inert(oneLine(name));
}

/** Like `inertName`, for a text of several lines. */
export function inertText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  return lines.map(line => inert(line.replace(UNSAFE, ''))).join('\n');
}

function inert(line: string): string {
  return line
    .replace(/:\/\//g, '[:]//')
    .replace(SCHEME, '[:]')
    .replace(/\\{2,}/g, '\\')
    .replace(DOMAIN_DOT, '[.]')
    .replace(NUMERIC_ADDRESS, address => address.replace(ANY_DOT, '[.]'));
}

/** Makes a text safe for a mail header: one line without control characters, at most 200 characters. */
export function headerText(text: string): string {
  const characters = [...oneLine(text)];
  if (characters.length <= HEADER_CHARACTERS) return characters.join('');
  return `${characters.slice(0, HEADER_CHARACTERS - 1).join('')}…`;
}

/** Replaces runs of white space by one space, and removes control and format characters. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .replace(/ {2,}/g, ' ')
    .trim();
}
