import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { MemberLoadsRepository } from './member-loads.repository.js';

/** Compares the stored loads of members with the conversations, and corrects them. */
@Injectable()
export class MemberLoadsRepairService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly loads: MemberLoadsRepository,
  ) {}

  /** Recounts if any load is wrong; assignments wait meanwhile. @returns the number of wrong loads */
  async repair(): Promise<number> {
    return this.units.run(() => this.loads.repair());
  }
}
