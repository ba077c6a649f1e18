import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

const HOOKS = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'] as const;

type Hooked = Partial<Record<(typeof HOOKS)[number], (signal?: string) => unknown>>;

/** Display names for library classes whose own name does not help an operator. */
const DISPLAY_NAMES: Record<string, string> = { TypeOrmCoreModule: 'database connections' };

/**
 * Wraps every shutdown hook of the application to track which ones are running, because Nest does not report it. New
 * hooks are covered without being listed here.
 * @returns a live set with the class names of the running hooks
 */
export function trackShutdownHooks(app: INestApplication): ReadonlySet<string> {
  const pending = new Set<string>();
  for (const instance of instancesOf(app)) {
    const name = instance.constructor.name;
    for (const hook of HOOKS) track(instance, hook, DISPLAY_NAMES[name] ?? name, pending);
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
