import { AppModule } from '../app.module.js';

export const migrate = AppModule;
