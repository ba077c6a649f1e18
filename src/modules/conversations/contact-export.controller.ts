import { Body, Controller, Post } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { StreamedObject } from '../../platform/http/streamed-object.js';
import { ContactMergedAway, ContactsService, toContactRecord, visibleRecord } from '../contacts/index.js';
import { ContactExportView, ExportContactBody } from './contact-export.schema.js';
import { ContactExportsService } from './contact-exports.service.js';

/** Lives here, not with contacts: most of what is held of a person is what was said with it. */
@Section('Contacts')
@Controller('contacts/:id/export')
export class ContactExportController {
  constructor(
    private readonly contacts: ContactsService,
    private readonly exports: ContactExportsService,
  ) {}

  @Post()
  @Summary(
    'Export everything that is held of the person.',
    'Its data, its conversations, what it said and what it was told. Private notes are included with `include_notes: true`. The answer is as large as the history: read it as a stream.',
  )
  @Allow('contact-exports:write', { allChannels: true })
  @Answers(ContactExportView)
  @Throws(NotFound, ContactMergedAway)
  async export(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() { include_notes = false }: ExportContactBody,
  ): Promise<StreamedObject> {
    const { contact, merged } = await this.contacts.getForExport(caller, id);
    const [record, ...mergedRecords] = [contact, ...merged].map(person =>
      visibleRecord(caller, toContactRecord(person)),
    );
    const records = { contact: record, merged_contacts: mergedRecords };
    return new StreamedObject(records, {
      conversations: () => this.exports.conversationsOf(contact),
      messages: () => this.exports.messagesOf(contact, include_notes),
    });
  }
}
