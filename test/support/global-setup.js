import '@swc-node/register/esm-register';

/** Jest loads this file itself, without its transformer; the loader lets the rest be TypeScript. */
export default async function setUp() {
  const { startCluster } = await import('./cluster.ts');
  globalThis.supportChatCluster = await startCluster();
  process.env.TEST_TEMPLATE_URL = globalThis.supportChatCluster.templateUrl;
}
