export default async function tearDown() {
  await globalThis.supportChatCluster?.stop();
}
