import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Widgets speak the language of the browser by default. English was the default while no widget read it. */
export class WidgetLocale1797051600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE channel SET widget_config = jsonb_set(widget_config, '{locale}', 'null')
      WHERE widget_config->>'locale' = 'en'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE channel SET widget_config = jsonb_set(widget_config, '{locale}', '"en"')
      WHERE widget_config->>'locale' IS NULL`);
  }
}
