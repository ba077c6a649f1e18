import type { ReportQuery } from '@support-chat/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { useSession } from '../session-context.js';
import { failureText } from './failure-text.js';
import type { ReportKind } from './figures.js';
import { t } from './texts/index.js';

/** Downloads the rows of the report that is shown, for a spreadsheet. */
export function CsvButton({ kind, query }: { kind: ReportKind; query: ReportQuery | undefined }) {
  const { agent } = useSession();
  const [isWaiting, setWaiting] = useState(false);
  const [result, setResult] = useState<{ text: string; isFailure: boolean }>();
  const download = async () => {
    if (!query) return;
    setWaiting(true);
    setResult(undefined);
    try {
      const { content, filename } = await agent.reports.file(kind, query);
      saveFile(content, filename);
      setResult({ text: t('csvSaved', { file: filename }), isFailure: false });
    } catch (error) {
      setResult({ text: failureText(error), isFailure: true });
    } finally {
      setWaiting(false);
    }
  };
  return (
    <div class="csv">
      <span class={result?.isFailure ? 'fault' : 'hint'} role="status">
        {result?.text}
      </span>
      {query && (
        <Button look="quiet" isWaiting={isWaiting} onClick={() => void download()}>
          {t('csv')}
        </Button>
      )}
    </div>
  );
}

function saveFile(content: string, filename: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  // after the browser has begun to read it
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
