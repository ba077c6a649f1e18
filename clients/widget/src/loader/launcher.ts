const SVG = 'http://www.w3.org/2000/svg';
/** Paths in a square of 24. */
const CHAT =
  'M12 4c4.7 0 8.5 3.2 8.5 7.3s-3.8 7.3-8.5 7.3c-.9 0-1.8-.1-2.600-.35L5 20.300l.9-3.500C4.400 15.500 3.500 13.500 3.500 11.300 3.500 7.200 7.300 4 12 4z';
const CLOSE = 'M6.500 9.500l5.500 5.500 5.500-5.500';

export interface Launcher {
  button: HTMLButtonElement;
  /** @param label what the button is called; `count` is shown as its badge, 0 shows none */
  show(label: string, count: number, isOpen: boolean): void;
}

/** Draws the button that opens the panel. Its size is fixed, and it stands outside of the page's layout. */
export function drawLauncher(root: ShadowRoot): Launcher {
  const button = document.createElement('button');
  button.className = 'launcher';
  button.type = 'button';
  const badge = document.createElement('span');
  badge.className = 'badge';
  badge.setAttribute('aria-hidden', 'true');
  button.append(icon('chat', CHAT), icon('close', CLOSE), badge);
  root.append(button);
  return {
    button,
    show(label, count, isOpen) {
      button.setAttribute('aria-label', label);
      button.setAttribute('aria-expanded', String(isOpen));
      badge.hidden = count === 0;
      badge.textContent = count > 99 ? '99+' : String(count);
    },
  };
}

function icon(name: string, path: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const attributes = {
    class: name,
    viewBox: '0 0 24 24',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '1.7',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
  };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  svg.append(document.createElementNS(SVG, 'path'));
  svg.firstElementChild?.setAttribute('d', path);
  return svg;
}
