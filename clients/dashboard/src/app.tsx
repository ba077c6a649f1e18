import { Redirect, Route, Router, Switch } from 'wouter-preact';
import type { Entrance } from './entrance/entrance.js';
import { Forgot } from './entrance/forgot.js';
import { Elsewhere, TicketFailed, Unreachable } from './entrance/interruptions.js';
import { Invite } from './entrance/invite.js';
import { Loading } from './entrance/loading.js';
import { Reset } from './entrance/reset.js';
import { SignIn } from './entrance/sign-in.js';
import { Shell } from './shell.js';

/**
 * The dashboard. A signed-out person stays at the address that was opened, and continues there after the sign-in.
 * @param base path of the dashboard, such as `/dashboard`
 */
export function App({ entrance, base }: { entrance: Entrance; base: string }) {
  return (
    <Router base={base}>
      <Screen entrance={entrance} />
    </Router>
  );
}

function Screen({ entrance }: { entrance: Entrance }) {
  const state = entrance.state.value;
  switch (state.screen) {
    case 'loading':
      return <Loading />;
    case 'sign-in':
      return (
        <Switch>
          <Route path="/forgot">
            <Forgot entrance={entrance} />
          </Route>
          <Route>
            <SignIn key={state.reason} entrance={entrance} reason={state.reason} />
          </Route>
        </Switch>
      );
    case 'invite':
      return <Invite key={state.token} entrance={entrance} token={state.token} />;
    case 'reset':
      return <Reset key={state.token} entrance={entrance} token={state.token} />;
    case 'ticket':
      return <TicketFailed entrance={entrance} link={state.link} error={state.error} />;
    case 'elsewhere':
      return <Elsewhere entrance={entrance} />;
    case 'unreachable':
      return <Unreachable entrance={entrance} error={state.error} />;
    case 'signed-in':
      return (
        <Switch>
          <Route path="/forgot">
            <Redirect to="/" replace />
          </Route>
          <Route>
            <Shell key={state.session.me.member.id} session={state.session} />
          </Route>
        </Switch>
      );
  }
}
