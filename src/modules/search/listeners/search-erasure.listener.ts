import { Injectable, OnModuleInit } from '@nestjs/common';
import type { ErasedSubject, Slice } from '../../../platform/erasure/erasure-step.registry.js';
import { ErasureStepRegistry } from '../../../platform/erasure/erasure-step.registry.js';
import { SearchDocumentsRepository } from '../search-documents.repository.js';
import { SearchSegmentsRepository } from '../search-segments.repository.js';

/** Removes erased contacts, their conversations and messages from the index. */
@Injectable()
export class SearchErasureListener implements OnModuleInit {
  constructor(
    private readonly documents: SearchDocumentsRepository,
    private readonly segments: SearchSegmentsRepository,
    private readonly steps: ErasureStepRegistry,
  ) {}

  onModuleInit(): void {
    this.steps.add({
      name: 'search',
      kinds: ['contact', 'conversation'],
      scrub: (subject, after, limit) => this.remove(subject, after, limit),
    });
  }

  /** Runs after the step that scrubs the rows: later writers of the index find nothing in them. */
  private async remove(subject: ErasedSubject, after: string, limit: number): Promise<Slice> {
    await this.segments.lock();
    await this.documents.remove([subject]);
    return this.documents.removeSlice(subject, after, limit);
  }
}
