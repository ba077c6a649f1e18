import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { PageView } from '../../platform/http/page.schema.js';
import { toPageView } from '../../platform/http/page.schema.js';
import { ContactView, CreateContactBody, ListContactsQuery, UpdateContactBody } from './contact.schema.js';
import { toContactRecord } from './contact.js';
import { ExternalIdTaken } from './contacts.errors.js';
import { ContactsService } from './contacts.service.js';

@ApiTags('Contacts')
@Controller('contacts')
export class ContactsController {
  constructor(private readonly contacts: ContactsService) {}

  @Get()
  @Summary('The contacts that the caller may see, newest first.')
  @Allow('contacts:read')
  @AnswersPage(ContactView)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListContactsQuery): Promise<PageView<ContactView>> {
    return toPageView(await this.contacts.list(caller, query), toContactRecord);
  }

  @Get(':id')
  @Summary('One contact.')
  @Allow('contacts:read')
  @Answers(ContactView)
  @Throws(NotFound)
  async get(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ContactView> {
    return toContactRecord(await this.contacts.get(caller, id));
  }

  @Post()
  @Summary('Makes a contact.')
  @Allow('contacts:write')
  @Creates(ContactView)
  @Throws(ExternalIdTaken)
  async create(@Caller() caller: StaffPrincipal, @Body() body: CreateContactBody): Promise<ContactView> {
    return toContactRecord(await this.contacts.create(caller, body));
  }

  @Patch(':id')
  @Summary('Changes a contact; null clears.')
  @Allow('contacts:write')
  @Answers(ContactView)
  @Throws(NotFound, ExternalIdTaken)
  async update(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: UpdateContactBody,
  ): Promise<ContactView> {
    return toContactRecord(await this.contacts.update(caller, id, body));
  }

  @Post(':id/block')
  @Summary('Shuts the contact out: its sockets close, its requests and sessions are refused.')
  @Allow('contacts:write', { allChannels: true })
  @Answers(ContactView)
  @Throws(NotFound)
  async block(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ContactView> {
    return toContactRecord(await this.contacts.setBlocked(caller, id, true));
  }

  @Post(':id/unblock')
  @Summary('Lets the contact in again, with the tokens that it had.')
  @Allow('contacts:write', { allChannels: true })
  @Answers(ContactView)
  @Throws(NotFound)
  async unblock(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ContactView> {
    return toContactRecord(await this.contacts.setBlocked(caller, id, false));
  }
}
