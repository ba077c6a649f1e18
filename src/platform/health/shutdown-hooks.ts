import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

const HOOKS = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'] as const;

type Hooked = Partial<Record<(typeof HOOKS)[number], (signal?: string) => unknown>>;

/** Classes of libraries whose name says nothing to an operator. */
const NAMES: Record<string, string> = { TypeOrmCoreModule: 'database connections' };

/**
 * Makes every shutdown hook of the app report itself. Nest awaits the hooks together and tells nobody which of them has
 * not returned; a hook that a module adds later is covered without being listed here.
 * @returns the class names of the hooks under way, kept up to date
 */
export function trackShutdownHooks(app: INestApplication): ReadonlySet<string> {
  const pending = new Set<string>();
  for (const instance of instancesOf(app)) {
    const name = instance.constructor.name;
    for (const hook of HOOKS) track(instance, hook, NAMES[name] ?? name, pending);
  }
  return pending;
}

function track(instance: Hooked, hook: (typeof HOOKS)[number], name: string, pending: Set<string>): void {
  const original = instance[hook];
  if (typeof original !== 'function') return;
  instance[hook] = async signal => {
    pending.add(name);
    try {
      return await original.call(instance, signal);
    } finally {
      pending.delete(name);
    }
  };
}

function instancesOf(app: INestApplication): Set<Hooked & object> {
  const instances = new Set<Hooked & object>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const { instance } of module.providers.values()) {
      if (typeof instance === 'object' && instance !== null) instances.add(instance as Hooked & object);
    }
  }
  return instances;
}
