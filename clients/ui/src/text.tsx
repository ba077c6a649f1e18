import { Component, type ComponentChildren, type VNode } from 'preact';
import { parseText, type Block, type Inline } from './rich-text.js';

interface TextProps {
  text: string;
  markdown: boolean;
}

/** Shows a message. Everything is a text node; see `rich-text.ts`. */
export class Text extends Component<TextProps> {
  /** Parses a text once, not whenever its list changes. */
  override shouldComponentUpdate({ text, markdown }: TextProps): boolean {
    return text !== this.props.text || markdown !== this.props.markdown;
  }

  override render({ text, markdown }: TextProps): ComponentChildren {
    return parseText(text, markdown).map(renderBlock);
  }
}

function renderBlock(block: Block): VNode {
  switch (block.kind) {
    case 'code':
      return <pre>{block.text}</pre>;
    case 'quote':
      return <blockquote>{block.children.map(renderInline)}</blockquote>;
    case 'list': {
      const items = block.items.map(item => <li>{item.map(renderInline)}</li>);
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case 'paragraph':
      return <p>{block.children.map(renderInline)}</p>;
  }
}

function renderInline(part: Inline): VNode | string {
  if (typeof part === 'string') return part;
  switch (part.kind) {
    case 'code':
      return <code>{part.text}</code>;
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer nofollow">
          {part.text}
          {part.host && <small> ({part.host})</small>}
        </a>
      );
    case 'em':
      return <em>{part.children.map(renderInline)}</em>;
    case 'strong':
      return <strong>{part.children.map(renderInline)}</strong>;
  }
}
