import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { AuthModule } from '../auth/index.js';
import { AvailabilityModule } from '../availability/index.js';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { WorkspacesModule } from '../workspaces/index.js';
import { ChatPageController } from './chat-page.controller.js';
import { IdentityService } from './identity.service.js';
import { WidgetService } from './widget.service.js';
import { WidgetVisitorController } from './widget.visitor.controller.js';

@Module({
  imports: [JwtModule.register({}), WorkspacesModule, ChannelsModule, AvailabilityModule, ContactsModule, AuthModule],
  controllers: [WidgetVisitorController, ChatPageController],
  providers: [WidgetService, IdentityService],
})
export class WidgetModule {}
