import { addElement } from './element.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Paths in a square of 24. */
const CHAT =
  'M12 4c4.7 0 8.5 3.2 8.5 7.3s-3.8 7.3-8.5 7.3c-.9 0-1.8-.1-2.6-.35L5 20.3l.9-3.5C4.4 15.5 3.5 13.5 3.5 11.3 3.5 7.2 7.3 4 12 4z';
const CLOSE = 'M6.5 9.5l5.5 5.5 5.5-5.5';

export interface Launcher {
  button: HTMLButtonElement;
  /** @param label what the button is called; `count` is shown as its badge while the panel is closed, 0 shows none */
  show(label: string, count: number, isOpen: boolean): void;
}

/** Draws the button that opens the panel. Its size is fixed, and it stands outside of the page's layout. */
export function drawLauncher(root: ShadowRoot): Launcher {
  const button = addElement(root, 'button', { className: 'launcher', type: 'button' });
  addIcon(button, 'chat', CHAT);
  addIcon(button, 'close', CLOSE);
  const badge = addElement(button, 'span', { className: 'badge', ariaHidden: 'true' });
  return {
    button,
    show(label, count, isOpen) {
      Object.assign(button, { ariaLabel: label, ariaExpanded: isOpen });
      badge.hidden = isOpen || !count;
      badge.textContent = count > 99 ? '99+' : `${count}`;
    },
  };
}

function addIcon(button: HTMLElement, name: string, path: string): void {
  const svg = document.createElementNS(SVG, 'svg');
  const shape = document.createElementNS(SVG, 'path');
  svg.setAttribute('class', name);
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.ariaHidden = 'true';
  shape.setAttribute('d', path);
  svg.append(shape);
  button.append(svg);
}
