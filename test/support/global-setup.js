/** Jest loads this file without its transformer. The loader makes the imports below TypeScript. */
export default async function setUp() {
  // A run that a test starts clones the template of the outer run.
  if (process.env.TEST_TEMPLATE_URL) return;
  await import('./read-typescript.js');
  const { startCluster } = await import('./cluster.ts');
  globalThis.supportChatCluster = await startCluster();
  const { templateUrl, copy } = globalThis.supportChatCluster;
  process.env.TEST_TEMPLATE_URL = templateUrl;
  if (copy) process.env.TEST_CLUSTER_COPY = copy;
}
