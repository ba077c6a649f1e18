import express from 'express';
import { Webhook } from 'standardwebhooks';

/** Prints each event of a webhook once. An event can be delivered again, with the same `webhook-id`. */
const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '');
const MAX_IDS = 10_000;
/** Ids of the latest events. A receiver that restarts, or runs twice, keeps them in its database instead. */
const knownIds = new Set();

const app = express();
// The signature covers the body as it arrived, so no JSON parser may run before.
app.post('/', express.raw({ type: 'application/json', limit: '2mb' }), (request, response) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch {
    return response.sendStatus(401);
  }
  // The service waits 15 seconds for the answer, then delivers the event again; so the work comes afterwards.
  response.sendStatus(204);
  if (knownIds.has(event.id)) return;
  knownIds.add(event.id);
  if (knownIds.size > MAX_IDS) knownIds.delete(knownIds.values().next().value);
  console.log(`${event.timestamp} ${event.type} ${JSON.stringify(event.data)}`);
});

const server = app.listen(Number(process.env.PORT ?? 4002), error => {
  if (error) throw error;
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
