import type { VNode } from 'preact';

const EMOJI =
  '😀 😃 😄 😁 😅 😂 🙂 😉 😊 😍 🥰 😘 😋 😎 🤩 🥳 🤔 🤗 😐 😏 😬 😌 😴 😷 😕 😟 🙁 😮 😳 🥺 😢 😭 😤 😡 🤯 😱 👍 👎 👌 ✌️ 🤞 👋 🙌 👏 🙏 💪 👀 🤝 ❤️ 🧡 💛 💚 💙 💜 💔 ✨ 🔥 🎉 ⭐ ✅ ❌ ❓ ❗ 💯'.split(
    ' ',
  );
const COLUMNS = 8;
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };

const focusFirst = (grid: HTMLElement | null): void => (grid?.firstElementChild as HTMLElement | null)?.focus();

/** A grid of emoji, which takes the focus: one stop of the Tab key, then the arrow keys. */
export function EmojiGrid({ label, onPick }: { label: string; onPick: (emoji: string) => void }): VNode {
  const move = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(event.currentTarget as HTMLElement).children] as HTMLElement[];
    const from = event.target as HTMLElement;
    const sign = getComputedStyle(from).direction === 'rtl' && Math.abs(step) === 1 ? -1 : 1;
    const next = buttons[buttons.indexOf(from) + sign * step];
    if (!next) return;
    from.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
  return (
    <div class="emoji" ref={focusFirst} role="group" aria-label={label} onKeyDown={move}>
      {EMOJI.map((emoji, index) => (
        <button type="button" key={emoji} tabIndex={index === 0 ? 0 : -1} onClick={() => onPick(emoji)}>
          {emoji}
        </button>
      ))}
    </div>
  );
}
