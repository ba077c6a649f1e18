import { beforeAll, describe, expect, it } from '@jest/globals';
import { publishedErrors } from '../../src/kernel/domain-error.js';
import { STATUS } from '../../src/platform/http/problem.js';
import type { ApiDocument } from '../../src/platform/openapi/document.js';
import type { JsonObject } from '../../src/platform/schemas/json.js';
import { writeReference } from '../support/preview.js';

interface Failure {
  description: string;
  content: { 'application/json': { example: { error: { code: string; message: string; details?: unknown } } } };
}

let api: ApiDocument;
beforeAll(async () => {
  api = await writeReference();
});

/** @returns every failure response of every operation, with its status */
function failures(): { status: number; failure: Failure }[] {
  const shared = api.components.responses ?? {};
  return Object.values(api.paths).flatMap(methods =>
    Object.values(methods).flatMap(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, response]) => {
          const { $ref } = response as { $ref?: string };
          const failure = $ref === undefined ? response : shared[$ref.replace('#/components/responses/', '')];
          return { status: Number(status), failure: failure as unknown as Failure };
        }),
    ),
  );
}

describe('Error codes and examples of the reference', () => {
  it('Every error code in the reference has its published meaning beside it', () => {
    const meanings = new Map(publishedErrors().map(({ code, kind, summary }) => [`${STATUS[kind]} ${code}`, summary]));
    const seen = failures().flatMap(({ status, failure }) => {
      const lines = failure.description.split('\n').map(line => /^- `(\w+)` (.+)$/.exec(line) ?? []);
      return lines.map(([, code, meaning]) => [`${status} ${code}`, meaning] as const);
    });
    expect(seen.length).toBeGreaterThan(300);
    for (const [code, meaning] of seen) expect([code, meaning]).toEqual([code, meanings.get(code)]);
  });

  it('Every failure response has one example, with details only for validation_failed', () => {
    for (const { failure } of failures()) {
      const { error } = failure.content['application/json'].example;
      expect(failure.description).toContain(`\`${error.code}\` ${error.message}`);
      expect([error.code, 'details' in error]).toEqual([error.code, error.code === 'validation_failed']);
    }
  });

  it('Every summary is plain text, since headings do not render Markdown', () => {
    const summaries = Object.values(api.paths).flatMap(methods => Object.values(methods).map(({ summary }) => summary));
    expect(summaries.filter(summary => !summary || /[`*_]{2}|`/.test(summary))).toEqual([]);
  });

  it('Request bodies do not offer the content type `event`, which only the service creates', () => {
    const typesOf = (name: string) => {
      const { properties } = api.components.schemas[name] as { properties: { content_type: { enum: string[] } } };
      return properties.content_type.enum;
    };
    expect(typesOf('MessageView')).toContain('event');
    for (const body of ['MessageBody', 'VisitorMessageBody']) {
      expect(typesOf(body)).toEqual(typesOf('MessageView').filter(type => type !== 'event'));
    }
  });

  it('Examples of views look like real responses', () => {
    const examplesOf = (name: string) => {
      const { properties } = api.components.schemas[name] as { properties: Record<string, JsonObject> };
      return Object.fromEntries(Object.entries(properties).map(([field, { example }]) => [field, example]));
    };
    expect(examplesOf('ContactView')).toMatchObject({
      email: 'ada@example.com',
      created_at: '2026-01-31T09:30:00.123456Z',
    });
    expect(examplesOf('WidgetSessionView')).toMatchObject({ expires_in: 1 });
  });
});
