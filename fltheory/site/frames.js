"use strict";
// Pages from disk may start no worker: the script of one runs in a hidden frame instead, so that search works there.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.append(frame);
      this.scope = frame.contentWindow;
      this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = this.scope.document.createElement("script");
      script.src = url;
      script.onload = () => {
        const first = this.waiting;
        this.waiting = null;
        for (const data of first) this.postMessage(data);
      };
      this.scope.document.body.append(script);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data }));
    }
  };
}
