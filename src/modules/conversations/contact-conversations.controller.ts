import { Controller, Get, Query } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { AnswersPage, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery, toPageView } from '../../platform/schemas/page.schema.js';
import { ContactMergedAway, ContactsService } from '../contacts/index.js';
import { ConversationView } from './conversation.schema.js';
import { InboxService } from './inbox.service.js';

/** In this module, because contacts do not know conversations. */
@Section('Contacts')
@Controller('contacts/:id/conversations')
export class ContactConversationsController {
  constructor(
    private readonly contacts: ContactsService,
    private readonly inbox: InboxService,
  ) {}

  @Get()
  @Summary("List a contact's conversations, newest first.")
  @Allow('conversations:read')
  @AnswersPage(ConversationView)
  @Throws(NotFound, ContactMergedAway)
  async list(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Query() query: PageQuery,
  ): Promise<PageView<ConversationView>> {
    const contact = await this.contacts.get(caller, id);
    const page = await this.inbox.list(caller, { ...query, contactId: contact.id, sort: 'created' });
    return toPageView(page, record => record);
  }
}
