import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { DeletedView } from '../../platform/http/deleted.schema.js';
import type { PageView } from '../../platform/http/page.schema.js';
import { toPageView } from '../../platform/http/page.schema.js';
import { ContactErasures } from './contact-erasures.service.js';
import { ContactMerges } from './contact-merges.service.js';
import { ContactPresence } from './contact-presence.service.js';
import {
  ContactMergeView,
  ContactView,
  CreateContactBody,
  ListContactsQuery,
  MergeContactBody,
  UpdateContactBody,
} from './contact.schema.js';
import { ContactMergedAway, ContactVerified, ExternalIdTaken } from './contacts.errors.js';
import { ContactsService } from './contacts.service.js';

@ApiTags('Contacts')
@Controller('contacts')
export class ContactsController {
  constructor(
    private readonly contacts: ContactsService,
    private readonly merges: ContactMerges,
    private readonly erasures: ContactErasures,
    private readonly presence: ContactPresence,
  ) {}

  @Get()
  @Summary('The contacts that the caller may see, newest first.')
  @Allow('contacts:read')
  @AnswersPage(ContactView)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListContactsQuery): Promise<PageView<ContactView>> {
    return toPageView(await this.contacts.list(caller, query), contact => this.presence.toView(contact));
  }

  @Get(':id')
  @Summary('One contact.')
  @Allow('contacts:read')
  @Answers(ContactView)
  @Throws(NotFound, ContactMergedAway)
  async get(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ContactView> {
    return this.presence.toView(await this.contacts.get(caller, id));
  }

  @Post()
  @Summary('Makes a contact.')
  @Allow('contacts:write')
  @Creates(ContactView)
  @Throws(ExternalIdTaken)
  async create(@Caller() caller: StaffPrincipal, @Body() body: CreateContactBody): Promise<ContactView> {
    return this.presence.toView(await this.contacts.create(caller, body));
  }

  @Patch(':id')
  @Summary('Changes a contact; null clears.')
  @Allow('contacts:write')
  @Answers(ContactView)
  @Throws(NotFound, ContactMergedAway, ExternalIdTaken)
  async update(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: UpdateContactBody,
  ): Promise<ContactView> {
    return this.presence.toView(await this.contacts.update(caller, id, body));
  }

  @Post(':id/block')
  @Summary('Shuts the contact out: its sockets close, its requests and sessions are refused.')
  @Allow('contacts:write', { allChannels: true })
  @Answers(ContactView)
  @Throws(NotFound, ContactMergedAway)
  async block(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ContactView> {
    return this.presence.toView(await this.contacts.setBlocked(caller, id, true));
  }

  @Post(':id/unblock')
  @Summary('Lets the contact in again, with the tokens that it had.')
  @Allow('contacts:write', { allChannels: true })
  @Answers(ContactView)
  @Throws(NotFound, ContactMergedAway)
  async unblock(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ContactView> {
    return this.presence.toView(await this.contacts.setBlocked(caller, id, false));
  }

  @Post(':id/merge')
  @Summary(
    'Two contacts that are one person become this one. The other one’s conversations and identity go over, its ' +
      'tokens and sockets end, and its id leads here; what this one lacks is taken over, and nothing is overwritten.',
  )
  @Allow('contacts:write', { allChannels: true })
  @Answers(ContactMergeView)
  @Throws(NotFound, ContactMergedAway, ContactVerified)
  async merge(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() { from_id, dry_run = false }: MergeContactBody,
  ): Promise<ContactMergeView> {
    const outcome = await this.merges.merge(caller, id, from_id, dry_run);
    return {
      contact: this.presence.toView(outcome.contact),
      dry_run,
      taken_over: outcome.takenOver,
      conversations: outcome.conversations,
      resolved_conversation_ids: outcome.resolvedConversationIds,
    };
  }

  @Delete(':id')
  @Summary(
    'Erases the person for good: its data and all that was said with it, also from the log of events. Its ' +
      'conversations stay to be counted, resolved and without words.',
  )
  @Allow('contacts:write', { role: 'admin', allChannels: true })
  @Answers(DeletedView)
  @Throws(NotFound, ContactMergedAway)
  async erase(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<DeletedView> {
    await this.erasures.erase(caller, id);
    return { id, deleted: true };
  }
}
