export { WidgetModule } from './widget.module.js';
