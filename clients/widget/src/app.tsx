import { VisitorClient } from '@support-chat/sdk';
import { render } from 'preact';

export function start(root: ShadowRoot): void {
  render(<p>Hello {typeof VisitorClient}</p>, root);
}
