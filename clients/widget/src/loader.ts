declare const CHUNK: string;
void import(/* @vite-ignore */ new URL(CHUNK, (document.currentScript as HTMLScriptElement).src).href);
