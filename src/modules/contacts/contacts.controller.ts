import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { DeletedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { toPageView } from '../../platform/schemas/page.schema.js';
import { ContactDuplicatesService } from './contact-duplicates.service.js';
import { ContactErasuresService } from './contact-erasures.service.js';
import { ContactMergesService } from './contact-merges.service.js';
import { ContactPresenceService } from './contact-presence.service.js';
import {
  ContactMergeView,
  ContactView,
  CreateContactBody,
  GetContactQuery,
  ListContactsQuery,
  MergeContactBody,
  UpdateContactBody,
} from './contact.schema.js';
import { ContactMergedAway, ContactVerified, EmailMissing, ExternalIdTaken } from './contacts.errors.js';
import { ContactsService } from './contacts.service.js';

const EXTERNAL_ID_RIGHTS = 'Setting `external_id` requires scope `all`, or an API key with `conversations:read`.';

@Section('Contacts', 'A contact is a visitor as the workspace knows it.')
@Controller('contacts')
export class ContactsController {
  constructor(
    private readonly contacts: ContactsService,
    private readonly duplicates: ContactDuplicatesService,
    private readonly merges: ContactMergesService,
    private readonly erasures: ContactErasuresService,
    private readonly presence: ContactPresenceService,
  ) {}

  @Get()
  @Summary('List the contacts that the caller can see, newest first.')
  @Allow('contacts:read')
  @AnswersPage(ContactView)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListContactsQuery): Promise<PageView<ContactView>> {
    return toPageView(await this.contacts.list(caller, query), contact => this.presence.toView(caller, contact));
  }

  @Get(':id')
  @Summary('Get a contact.')
  @Allow('contacts:read')
  @Answers(ContactView)
  @Throws(NotFound, ContactMergedAway)
  async get(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Query() { include }: GetContactQuery,
  ): Promise<ContactView> {
    const contact = await this.contacts.get(caller, id);
    const view = this.presence.toView(caller, contact);
    if (include !== 'duplicates') return view;
    return { ...view, duplicates: await this.duplicates.find(caller, contact) };
  }

  @Post()
  @Summary('Create a contact.', EXTERNAL_ID_RIGHTS)
  @Allow('contacts:write')
  @Creates(ContactView)
  @Throws(ExternalIdTaken)
  async create(@Caller() caller: StaffPrincipal, @Body() body: CreateContactBody): Promise<ContactView> {
    return this.presence.toView(caller, await this.contacts.create(caller, body));
  }

  @Patch(':id')
  @Summary(
    'Update a contact.',
    `Null clears a field. A new \`external_id\` revokes the contact's tokens and closes its sockets. ${EXTERNAL_ID_RIGHTS} \`email_unsubscribed\` requires the role admin or an API key.`,
  )
  @Allow('contacts:write')
  @Answers(ContactView)
  @Throws(NotFound, ContactMergedAway, ContactVerified, ExternalIdTaken, EmailMissing)
  async update(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: UpdateContactBody,
  ): Promise<ContactView> {
    return this.presence.toView(caller, await this.contacts.update(caller, id, body));
  }

  @Post(':id/block')
  @Summary('Block a contact.', 'Closes its sockets, and refuses its requests and new sessions.')
  @Allow('contacts:write', { allChannels: true })
  @Answers(ContactView)
  @Throws(NotFound, ContactMergedAway)
  async block(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ContactView> {
    return this.presence.toView(caller, await this.contacts.setBlocked(caller, id, true));
  }

  @Post(':id/unblock')
  @Summary('Unblock a contact.', 'Its earlier tokens work again.')
  @Allow('contacts:write', { allChannels: true })
  @Answers(ContactView)
  @Throws(NotFound, ContactMergedAway)
  async unblock(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ContactView> {
    return this.presence.toView(caller, await this.contacts.setBlocked(caller, id, false));
  }

  @Post(':id/merge')
  @Summary(
    'Merge another contact into this one.',
    'Moves the conversations and the identity of the contact in `from_id` to this one, and fills empty fields; nothing is overwritten. The tokens and sockets of the other contact end, and its id returns 410 `contact_merged` with the id of this one. `dry_run: true` returns the result without changing anything.',
  )
  @Allow('contacts:write', { allChannels: true, ofKey: 'conversations:read' })
  @Answers(ContactMergeView)
  @Throws(NotFound, ContactMergedAway, ContactVerified)
  async merge(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() { from_id, dry_run = false }: MergeContactBody,
  ): Promise<ContactMergeView> {
    const outcome = await this.merges.merge(caller, id, from_id, dry_run);
    return {
      contact: this.presence.toView(caller, outcome.contact),
      dry_run,
      taken_over: outcome.takenOver,
      conversations: outcome.conversations,
      resolved_conversation_ids: outcome.resolvedConversationIds,
    };
  }

  @Delete(':id')
  @Summary(
    'Erase a contact permanently.',
    'Removes its personal data and the content of its messages, also from the event log. Its conversations stay for statistics, resolved and without content. This cannot be undone.',
  )
  @Allow('contacts:write', { role: 'admin', allChannels: true })
  @Answers(DeletedView)
  @Throws(NotFound, ContactMergedAway)
  async erase(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<DeletedView> {
    await this.erasures.erase(caller, id);
    return { id, deleted: true };
  }
}
