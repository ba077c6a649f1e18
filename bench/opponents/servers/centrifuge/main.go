// A centrifuge server: forwards a message to the room of its conversation and to the inbox, and stores nothing.
package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/centrifugal/centrifuge"
)

func main() {
	node, err := centrifuge.New(centrifuge.DefaultConfig)
	if err != nil {
		log.Fatal(err)
	}
	node.OnConnecting(func(_ context.Context, event centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		var wants struct{ Room string }
		if err := json.Unmarshal(event.Data, &wants); err != nil || wants.Room == "" {
			return centrifuge.ConnectReply{}, centrifuge.DisconnectInvalidToken
		}
		return centrifuge.ConnectReply{
			Credentials:   &centrifuge.Credentials{UserID: event.ClientID},
			Subscriptions: map[string]centrifuge.SubscribeOptions{wants.Room: {}},
		}, nil
	})
	node.OnConnect(func(*centrifuge.Client) {})
	if err := node.Run(); err != nil {
		log.Fatal(err)
	}

	http.Handle("/connection/websocket", centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{}))
	http.HandleFunc("/v1/conversations/", func(response http.ResponseWriter, request *http.Request) {
		message, err := io.ReadAll(request.Body)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		room := strings.Split(request.URL.Path, "/")[3]
		for _, channel := range []string{room, "inbox"} {
			if _, err := node.Publish(channel, message); err != nil {
				http.Error(response, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		response.WriteHeader(http.StatusCreated)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
