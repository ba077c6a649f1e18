import { Body, Controller, Post } from '@nestjs/common';
import { NotFound } from '../../../kernel/errors.js';
import type { StaffPrincipal } from '../../../kernel/principal.js';
import { Allow } from '../../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../../platform/access/caller.decorator.js';
import { Answers, Section, Summary, Throws } from '../../../platform/http/answers.decorator.js';
import { StreamedObject } from '../../../platform/http/streamed-object.js';
import { ContactMergedAway, ContactsService, toContactRecord, visibleRecord } from '../../contacts/index.js';
import { ContactExportView, ExportContactBody } from './contact-export.schema.js';
import { ContactExportsService } from './contact-exports.service.js';

/** In this module, because contacts do not know conversations and messages. */
@Section('Contacts')
@Controller('contacts/:id/export')
export class ContactExportController {
  constructor(
    private readonly contacts: ContactsService,
    private readonly exports: ContactExportsService,
  ) {}

  @Post()
  @Summary(
    "Export all of a contact's data.",
    'Contains its personal data, conversations and messages, and private notes with `include_notes: true`. The response is as large as the history: read it as a stream.',
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
