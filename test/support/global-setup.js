/** Jest loads this file itself, without its transformer; the loader lets the rest be TypeScript. */
export default async function setUp() {
  // a run that a test has started clones the template of the run that the test belongs to
  if (process.env.TEST_TEMPLATE_URL) return;
  await import('./read-typescript.js');
  const { startCluster } = await import('./cluster.ts');
  globalThis.supportChatCluster = await startCluster();
  process.env.TEST_TEMPLATE_URL = globalThis.supportChatCluster.templateUrl;
}
